//! Detection of resources of which one removes what another one provides or needs.

use std::collections::HashMap;

use super::node_footprints::{Footprints, NodeFootprint, is_certain};
use super::uses::{Use, Uses};
use crate::diagnostic::Diagnostic;
use crate::graph::Graph;
use crate::types::footprint::{Claim, Thing, Verb, aspect, kind, overlap};
use crate::types::value::Value;

/// A claim with the footprint of its node.
type NodeClaim<'a> = (&'a NodeFootprint, &'a Claim);

/// Returns the contradictions between all resources that are handled in the same runs.
pub(super) fn find(graph: &Graph, footprints: &Footprints, uses: &Uses<'_>) -> Vec<Diagnostic> {
    let removed_trees = removed_trees(footprints);
    let mut found = Vec::new();
    for (thing, of_thing) in uses.things() {
        let claims = || claims(footprints, thing, of_thing);
        if of_thing.len() > 1 {
            let removal = claims().find(|(node, claim)| removes(node, claim));
            let other = removal.and_then(|removal| {
                let contradicts = |other: &NodeClaim<'_>| contradicts(graph, removal, *other);
                claims().find(contradicts).map(|other| (removal, other))
            });
            found.extend(other.map(|(removal, other)| removed_and_used(graph, thing, [removal, other])));
            found.extend(contradicting_lines(graph, thing, claims()));
        }
        if removed_trees.is_empty() || !thing.is_path() {
            continue;
        }
        let tree = thing.above().find_map(|folder| removed_trees.get(folder));
        if let Some(tree) = tree
            && let Some(other) = claims().find(|other| contradicts(graph, *tree, *other))
        {
            found.push(removed_and_used(graph, thing, [*tree, other]));
        }
    }
    found
}

fn claims<'a>(
    footprints: &'a Footprints,
    thing: &'a Thing,
    of_thing: &'a [Use],
) -> impl Iterator<Item = NodeClaim<'a>> {
    let nodes = of_thing.iter().filter_map(|node_use| footprints.nodes().get(node_use.footprint as usize));
    nodes.flat_map(move |node| {
        let claims = node.footprint.claims.iter().filter(move |claim| claim.thing == *thing);
        claims.map(move |claim| (node, claim))
    })
}

/// Returns the folders that are removed with everything in them.
fn removed_trees(footprints: &Footprints) -> HashMap<&str, NodeClaim<'_>> {
    let removers = footprints.nodes().iter().filter(|node| node.footprint.removes);
    let trees = removers.flat_map(|node| {
        let claims = node.footprint.claims.iter();
        let trees = claims.filter(|claim| claim.verb == Verb::Touches && claim.aspect == Some(aspect::TREE));
        trees.map(move |claim| (claim.thing.name(), (node, claim)))
    });
    trees.collect()
}

/// Returns whether the claim removes the thing.
fn removes(node: &NodeFootprint, claim: &Claim) -> bool {
    node.footprint.removes && claim.verb.provides()
}

/// Returns whether another resource wants the thing that this claim removes.
fn contradicts(graph: &Graph, (node, removed): NodeClaim<'_>, (other, claim): NodeClaim<'_>) -> bool {
    let is_wanted = match claim.verb {
        // Two managers of one aspect are reported as such.
        Verb::Manages if claim.thing == removed.thing => {
            removed.verb != Verb::Manages || !overlap(removed.aspect, claim.aspect)
        }
        Verb::Manages | Verb::Ensures | Verb::Needs => true,
        Verb::Touches => false,
    };
    let concerns_part = claim.thing.is_path() || overlap(removed.aspect, claim.aspect);
    is_wanted
        && concerns_part
        && node.node != other.node
        && !wants_absence(graph, other)
        && is_certain(node, other)
}

/// Returns whether a resource declares that something is absent.
fn wants_absence(graph: &Graph, node: &NodeFootprint) -> bool {
    let resource = graph.node(node.node);
    let is_absent = || {
        let (field, _) = resource.resource.schema().field("state")?;
        let attribute = resource.attributes.iter().find(|attribute| attribute.field == field)?;
        Some(attribute.input.known_part() == Value::from("absent"))
    };
    node.footprint.removes || is_absent().unwrap_or(false)
}

/// Returns the error for the first two claims of lines of which one changes the line of the other.
///
/// Only lines are compared with patterns, so lines without patterns cost no pairs.
fn contradicting_lines<'a>(
    graph: &Graph,
    thing: &Thing,
    claims: impl Iterator<Item = NodeClaim<'a>>,
) -> Option<Diagnostic> {
    if thing.kind() != kind::LINES {
        return None;
    }
    let claims: Vec<NodeClaim<'_>> = claims.collect();
    let patterns =
        claims.iter().filter(|(_, claim)| claim.state.as_ref().is_some_and(|state| state.replaces_lines()));
    for first in patterns {
        let contradicts = |other: &&NodeClaim<'_>| {
            let states = (first.1.state.as_deref(), other.1.state.as_deref());
            first.0.node != other.0.node
                && is_certain(first.0, other.0)
                && matches!(states, (Some(state), Some(other)) if state.contradicts_line(other))
        };
        if let Some(other) = claims.iter().find(contradicts) {
            let path = Thing::path(thing.name());
            let [replacing, replaced] = [first, other].map(|(node, _)| (node.node, Some("match")));
            return Some(graph.contradiction(
                &format!("replaces or removes the line of `{}` in {path}", graph.node(other.0.node).id.short()),
                [replacing, (replaced.0, Some("line"))],
                ["this pattern matches it", "this line"],
                "each apply would undo what the other one did: write a `match` that does not match the line of the other",
            ));
        }
    }
    None
}

fn removed_and_used(graph: &Graph, thing: &Thing, [removal, other]: [NodeClaim<'_>; 2]) -> Diagnostic {
    let name = graph.node(other.0.node).id.short().to_owned();
    let removed = if removal.1.thing == *thing { "removes" } else { "removes the folder around" };
    let (verb, label) = match other.1.verb {
        Verb::Needs => ("needs", "this needs it"),
        Verb::Manages | Verb::Ensures | Verb::Touches => ("provides", "this provides it"),
    };
    graph.contradiction(
        &format!("{removed} {thing}, which `{name}` {verb}"),
        [removal, other].map(|(node, claim)| (node.node, claim.field)),
        ["this removes it", label],
        "no apply can satisfy both: remove one of them",
    )
}
