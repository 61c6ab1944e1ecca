//! Resources with paths that only a run knows, and the resources that leave such paths out.
//!
//! A resource that covers a tree, such as a copy with `purge`, leaves out what others declare in it. If such a
//! path is computed from a lookup, the run renders it before it looks at the tree.

use std::collections::BTreeMap;
use std::ops::Bound;

use super::node_footprints::{Footprints, NodeFootprint};
use crate::graph::{AutomaticEdge, EdgeReason, Graph, Node, NodeIndex};
use crate::types::footprint::{Claim, Thing, aspect, kind};
use crate::types::schema::{NameSource, Verb};

/// Returns the resources with a late path that may be in the tree of each covering resource.
pub(super) fn find(graph: &Graph, footprints: &Footprints) -> BTreeMap<NodeIndex, Vec<NodeIndex>> {
    let mut trees: BTreeMap<&Thing, Vec<NodeIndex>> = BTreeMap::new();
    for footprint in footprints.nodes() {
        if let Some(tree) = covered_tree(footprint) {
            trees.entry(tree).or_default().push(footprint.node);
        }
    }
    let mut late_in_trees: BTreeMap<NodeIndex, Vec<NodeIndex>> = BTreeMap::new();
    if trees.is_empty() {
        return late_in_trees;
    }
    for footprint in footprints.nodes() {
        let is_late = footprint.footprint.partial;
        let Some(folder) = late_path_folder(graph.node(footprint.node)).filter(|_| is_late) else { continue };
        for covering in trees_around(&trees, &folder) {
            if covering != footprint.node {
                late_in_trees.entry(covering).or_default().push(footprint.node);
            }
        }
    }
    late_in_trees
}

/// Adds the edges between resources that cover trees and those with late paths in them.
///
/// A covering resource waits for the nodes that determine the paths. The resources with these paths wait for
/// the one that makes the root of the tree. No failure matters, because a path may be elsewhere.
pub(super) fn add_edges(graph: &Graph, footprints: &Footprints, edges: &mut Vec<AutomaticEdge>) {
    let late_in_trees = find(graph, footprints);
    for covering in footprints.nodes() {
        let Some(late) = late_in_trees.get(&covering.node) else { continue };
        let Some(tree) = covered_tree(covering) else { continue };
        let mut edge = |from, on| {
            let thing = Some(tree.clone());
            edges.push(AutomaticEdge { from, on, gives_way: true, thing, even_after: true });
        };
        let makes_root = covering.footprint.claims.iter().any(|claim| {
            claim.verb.provides() && claim.aspect == Some(aspect::EXISTENCE) && claim.thing == *tree
        });
        for late in late {
            let sources = graph.dependencies(*late).iter();
            let sources =
                sources.filter(|edge| matches!(edge.reason, EdgeReason::Lookup | EdgeReason::Param));
            sources.for_each(|source| edge(covering.node, source.on));
            if makes_root {
                edge(*late, covering.node);
            }
        }
    }
}

/// Returns the root of the tree in which a resource leaves out what others declare.
fn covered_tree(footprint: &NodeFootprint) -> Option<&Thing> {
    let footprint = Some(&footprint.footprint).filter(|footprint| footprint.covers)?;
    let is_tree = |claim: &&Claim| claim.aspect == Some(aspect::TREE) && claim.verb != Verb::Needs;
    footprint.claims.iter().find(is_tree).map(|claim| &claim.thing)
}

/// Returns the folder of a path that a resource provides and that only a run knows.
///
/// It is as much of the path as is known at load; the root folder may stand for any path.
fn late_path_folder(node: &Node) -> Option<Thing> {
    let schema = node.resource.schema();
    let late_input = |field: usize| {
        let attribute = node.attributes.iter().find(|attribute| attribute.field == field)?;
        attribute.input.known_part().find_unknown().map(|_| &attribute.input)
    };
    let mut fields = schema.fields.iter().enumerate();
    let input = fields.find_map(|(index, field)| {
        let mut paths = field.footprint.iter().filter(|rule| rule.verb.provides() && rule.kind == kind::PATH);
        paths.find_map(|rule| match rule.name {
            NameSource::Own(_) => late_input(index),
            NameSource::Field(name) => schema.field(name).and_then(|(index, _)| late_input(index)),
            NameSource::Fixed(_) => None,
        })
    })?;
    let known = input.known_prefix().rsplit_once('/').map(|(folder, _)| folder);
    Some(match known {
        None | Some("") => Thing::path("/"),
        Some(folder) => Thing::path(&node.scope.module.paths.canonical(folder)),
    })
}

/// Returns the resources whose tree is around a folder, or in it.
fn trees_around(trees: &BTreeMap<&Thing, Vec<NodeIndex>>, folder: &Thing) -> Vec<NodeIndex> {
    let first = Thing::before_all_in(folder.name());
    let inside = trees.range::<Thing, _>((Bound::Excluded(&first), Bound::Unbounded));
    let inside = inside.take_while(|(tree, _)| tree.is_path() && tree.name().starts_with(first.name()));
    let around = folder.above().map(Thing::path).filter_map(|above| trees.get(&above));
    let here = trees.get(folder);
    inside.map(|(_, nodes)| nodes).chain(around).chain(here).flatten().copied().collect()
}
