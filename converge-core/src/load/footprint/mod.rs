//! From what resources say they manage, need and touch to edges, and to mistakes: what works with a thing waits for what
//! makes it, and nothing is managed twice.
//!
//! ```text
//! footprints --uses--> what each node does to each thing --order--> edges
//!                                |
//!                                +--turns--> who changes a thing one after the other
//!                                |
//!                                +--managed--> what two resources manage: mistakes, or claims that the run checks
//! ```
//!
//! Only what is known when a module is loaded counts here. Every step costs time that grows with the footprints and the
//! edges that follow from them, and not with pairs of resources.

mod conflicts;
mod duplicates;
mod node_footprints;
mod order;
mod parent_folders;
mod path_trees;
#[cfg(test)]
mod tests;
mod turns;
mod uses;

use crate::diagnostic::Diagnostics;
use crate::graph::{
    AutomaticEdge, Collapsed, Graph, ManagedInRun, NodeIndex, Patterns, TurnList, UseInRun, UsesInRun,
};
use crate::types::footprint::Footprint;

pub(super) use self::conflicts::KnownValues;
pub(super) use self::node_footprints::{Condition, Footprints};
pub(crate) use self::turns::takes_turns;
use self::uses::Uses;

/// Whether resources wait for each other because of what they manage and need, without a name that says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutomaticEdges {
    /// What works with a thing waits for what makes it.
    #[default]
    Add,
    /// Only what is written makes resources wait.
    Omit,
}

/// What follows from footprints.
#[derive(Debug)]
pub(super) struct Follows {
    edges: Vec<AutomaticEdge>,
    turns: Vec<TurnList>,
    in_run: ManagedInRun,
}

impl Follows {
    /// The same, when what instances are made from is no longer in the graph.
    pub(super) fn collapse(&mut self, patterns: &Patterns, collapsed: &Collapsed) {
        for edge in &mut self.edges {
            (edge.from, edge.on) = (collapsed.place(edge.from), collapsed.place(edge.on));
        }
        let in_turns = self.turns.iter_mut().flat_map(|list| &mut list.nodes);
        in_turns.for_each(|index| *index = collapsed.place(*index));
        let is_here = |index: &NodeIndex| patterns.end(*index).is_none();
        let unclear = self.in_run.unclear.iter().filter(|index| is_here(index));
        self.in_run.unclear = unclear.map(|index| collapsed.place(*index)).collect();
        for manager in self.in_run.known.values_mut().flatten() {
            manager.node = collapsed.place(manager.node);
        }
    }
}

/// Finds what follows from footprints, and reports what two resources manage.
pub(super) fn find(
    graph: &Graph,
    footprints: &Footprints,
    automatic: AutomaticEdges,
    values: &KnownValues<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Follows> {
    // What is wrong may be wrong about what a resource manages, and in what cannot be run there is no order to find.
    if diagnostics.has_errors() {
        return None;
    }
    let uses = Uses::of(footprints);
    let managed = conflicts::check(graph, footprints, &uses, values);
    diagnostics.extend(managed.mistakes);
    let (mut edges, mut turns) = (duplicates::edges(footprints.copies()), Vec::new());
    if automatic == AutomaticEdges::Add {
        order::add_edges(graph, footprints, &uses, &mut edges);
        turns = turns::lists(graph, footprints);
    }
    Some(Follows { edges, turns, in_run: managed.in_run })
}

/// Adds to a graph what follows from the footprints of its nodes.
pub(super) fn connect(
    graph: &mut Graph,
    footprints: &Footprints,
    follows: Follows,
    automatic: AutomaticEdges,
) {
    let Follows { edges, turns, mut in_run } = follows;
    graph.add_automatic(edges);
    graph.keep_turns(turns);
    if automatic == AutomaticEdges::Add && graph.has_deferred() {
        let mut uses = UsesInRun::default();
        for one in footprints.nodes() {
            let claims = footprints.claims(one).map(Into::into).collect();
            let mut footprint = Footprint::new();
            footprint.claims = claims;
            footprint.removes = footprints.removes(one);
            footprint.partial = footprints.is_partial(one);
            uses.push(UseInRun { node: one.node, footprint, is_certain: one.condition.is_certain() });
        }
        in_run.uses = Some(uses);
    }
    graph.check_in_run(in_run);
}

/// Which nodes that a run adds change the same thing. Of some it is assumed that they do.
pub(crate) fn turns_in_run(
    graph: &Graph,
    nodes: &[UseInRun],
    assumed: Vec<(NodeIndex, Footprint)>,
) -> Vec<TurnList> {
    let nodes: Vec<&UseInRun> = nodes.iter().collect();
    let mut footprints = of_run(&nodes);
    for (node, footprint) in assumed {
        footprints.push_assumed(node, footprint);
    }
    turns::lists(graph, &footprints)
}

/// The edges between nodes of which some were added by a run, because of what they have to do with.
pub(crate) fn edges_in_run(graph: &Graph, nodes: &[&UseInRun]) -> Vec<AutomaticEdge> {
    let footprints = of_run(nodes);
    let mut edges = Vec::new();
    order::add_edges(graph, &footprints, &Uses::of(&footprints), &mut edges);
    edges
}

fn of_run(nodes: &[&UseInRun]) -> Footprints {
    let mut footprints = Footprints::with_capacity(nodes.len());
    for UseInRun { node, footprint, is_certain } in nodes {
        footprints.push(*node, footprint.clone(), Condition { gate: None, own: !is_certain });
    }
    footprints
}
