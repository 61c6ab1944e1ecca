//! Adds the instances of a `for_each` that waited for lookups to the graph of the run.
//!
//! An instance waits for all that its end waited for, which is over, and for what makes the things that it needs, as it would if it
//! had been known at load. Nothing waits for an instance because of a thing that was there before: that may be done by now, and an
//! order that depends on what was quicker is none. What is to come later says `depends`.

use std::collections::HashSet;

use super::ready_queue::ReadyQueue;
use crate::engine::expand::Instance;
use crate::engine::flags::{AWAITED, LEFT_OUT};
use crate::engine::shared::Shared;
use crate::engine::target::Selected;
use crate::graph::{AutomaticEdge, Edge, EdgeReason, Graph, NodeIndex, UseInRun, UsesInRun};
use crate::load::edges_in_run;
use crate::types::hash::NameMap;

/// What the instances have to do with that were added so far.
#[derive(Debug, Default)]
pub(super) struct AddedInstances(UsesInRun);

impl AddedInstances {
    /// Adds instances, sorted by id, and gives their numbers.
    pub(super) fn add(
        &mut self,
        shared: &Shared,
        ready: &mut ReadyQueue,
        end: NodeIndex,
        instances: Vec<Instance>,
    ) -> Vec<NodeIndex> {
        let graph = &shared.graph;
        let (mut nodes, mut footprints, mut left_out) =
            (Vec::with_capacity(instances.len()), Vec::new(), Vec::new());
        for (at, Instance { node, footprint, selected }) in instances.into_iter().enumerate() {
            let is_certain = node.meta.as_ref().is_none_or(|meta| meta.when.is_none());
            footprints.extend(footprint.map(|footprint| (at, footprint, is_certain)));
            left_out.push(selected == Selected::LeftOut);
            nodes.push(node);
        }
        let range = graph.add_instances(end, nodes);
        shared.grow(end, range.clone());
        let added: Vec<NodeIndex> = range.clone().map(NodeIndex::new).collect();
        for (index, _) in added.iter().zip(left_out).filter(|(_, left_out)| *left_out) {
            shared.flags.add(*index, LEFT_OUT);
        }
        let new: Vec<UseInRun> = footprints
            .into_iter()
            .map(|(at, footprint, is_certain)| UseInRun {
                node: NodeIndex::new(range.start + at),
                footprint,
                is_certain,
            })
            .collect();
        let edges = self.edges(shared, ready, end, &new);
        for one in new {
            self.0.push(one);
        }
        let mut more: NameMap<NodeIndex, Vec<Edge>> = NameMap::default();
        let mut dependents: NameMap<NodeIndex, Vec<NodeIndex>> = NameMap::default();
        for AutomaticEdge { from, on, .. } in edges {
            more.entry(from).or_default().push(Edge { on, reason: EdgeReason::Footprint, span: None });
            shared.flags.add(on, AWAITED);
            if range.contains(&on.as_usize()) {
                dependents.entry(on).or_default().push(from);
            } else {
                ready.awaits(on, from);
            }
        }
        let waits = added.iter().map(|index| {
            let more = more.remove(index).unwrap_or_default();
            let waits = u32::try_from(more.len()).unwrap_or(u32::MAX);
            graph.link_instance(*index, more, dependents.remove(index).unwrap_or_default());
            waits
        });
        let waits = waits.collect();
        ready.added(end, waits);
        added
    }

    /// What the new instances wait for because of a thing, each pair once, sorted.
    fn edges(
        &self,
        shared: &Shared,
        ready: &ReadyQueue,
        end: NodeIndex,
        new: &[UseInRun],
    ) -> Vec<AutomaticEdge> {
        let graph = &shared.graph;
        let known = &graph.managed_in_run().uses;
        let footprints = || new.iter().map(|one| &one.footprint);
        let before = known.around(footprints()).into_iter().chain(self.0.around(footprints()));
        // What stands for instances that are not known yet is nothing to wait for, and neither is what is over.
        let comes = |node| shared.needed.has(node) && !ready.has_ended(node);
        let before = before.filter(|one| graph.node(one.node).role.is_resource() && comes(one.node));
        let all: Vec<&UseInRun> = before.chain(new).collect();
        if all.is_empty() {
            return Vec::new();
        }
        let is_new: HashSet<NodeIndex> = new.iter().map(|one| one.node).collect();
        let mut edges = edges_in_run(graph, &all);
        edges.retain(|edge| is_new.contains(&edge.from) && edge.from != edge.on);
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.from, edge.on));
        if edges.iter().any(|edge| !is_new.contains(&edge.on)) {
            let behind = behind(graph, ready, end);
            edges.retain(|edge| !behind.contains(&edge.on));
        }
        let stuck = stuck(&edges, &is_new);
        edges.retain(|edge| !(stuck.contains(&edge.from) && stuck.contains(&edge.on)));
        edges
    }
}

/// All that waits for a node, directly or through others.
fn behind(graph: &Graph, ready: &ReadyQueue, index: NodeIndex) -> HashSet<NodeIndex> {
    let (mut found, mut open) = (HashSet::new(), vec![index]);
    while let Some(at) = open.pop() {
        open.extend(ready.dependents(graph, at).filter(|next| found.insert(*next)));
    }
    found
}

/// The nodes that would wait for each other by these edges, and those that wait for them.
fn stuck(edges: &[AutomaticEdge], nodes: &HashSet<NodeIndex>) -> HashSet<NodeIndex> {
    let mut waits: NameMap<NodeIndex, usize> = NameMap::default();
    let mut dependents: NameMap<NodeIndex, Vec<NodeIndex>> = NameMap::default();
    for edge in edges.iter().filter(|edge| nodes.contains(&edge.on)) {
        *waits.entry(edge.from).or_default() += 1;
        dependents.entry(edge.on).or_default().push(edge.from);
    }
    let mut open: Vec<NodeIndex> = dependents.keys().copied().filter(|on| !waits.contains_key(on)).collect();
    while let Some(at) = open.pop() {
        for from in dependents.remove(&at).unwrap_or_default() {
            let Some(left) = waits.get_mut(&from) else { continue };
            *left -= 1;
            if *left == 0 {
                waits.remove(&from);
                open.push(from);
            }
        }
    }
    waits.into_keys().collect()
}
