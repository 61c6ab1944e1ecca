//! Edges and conflicts derived from footprints: what resources manage, need and touch.
//!
//! A resource that works with a thing waits for the one that makes it, and no thing may be managed twice.
//!
//! ```text
//! footprints --uses--> what each node does to each thing --order--> edges
//!                                |
//!                                +--turns--> who changes a thing one after the other
//!                                |
//!                                +--managed--> what two resources manage: mistakes, or claims that the run checks
//! ```
//!
//! Only facts known at load count here. Every step takes time that grows with the footprints and the
//! resulting edges, and not with pairs of resources.

mod conflicts;
mod contradictions;
mod duplicates;
mod late_names;
mod node_footprints;
mod order;
mod parent_folders;
mod path_trees;
mod turns;
mod uses;

use crate::diagnostic::Diagnostics;
use crate::graph::{
    AutomaticEdge, Collapsed, Graph, ManagedInRun, NodeIndex, Patterns, TurnList, UseInRun, UsesInRun,
};
use crate::types::footprint::Footprint;

#[doc(hidden)]
pub use self::conflicts::KnownValues;
use self::node_footprints::NodeFootprint;
#[doc(hidden)]
pub use self::node_footprints::{Condition, Footprints};
#[doc(hidden)]
pub use self::turns::takes_turns;
use self::uses::Uses;

/// Whether edges are derived from what resources manage and need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AutomaticEdges {
    /// A resource that works with a thing waits for the one that makes it.
    #[default]
    Add,
    /// Only written dependencies and references make resources wait.
    Omit,
}

/// The edges, turns and run checks derived from footprints.
#[derive(Debug)]
#[doc(hidden)]
pub struct Derived {
    edges: Vec<AutomaticEdge>,
    turns: Vec<TurnList>,
    in_run: ManagedInRun,
}

impl Derived {
    /// Adapts to the removal of instance patterns from the graph.
    #[doc(hidden)]
    pub fn collapse(&mut self, patterns: &Patterns, collapsed: &Collapsed) {
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

/// Derives edges from footprints, and reports things that two resources manage.
#[doc(hidden)]
pub fn find(
    graph: &Graph,
    footprints: &Footprints,
    automatic: AutomaticEdges,
    values: &KnownValues<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Derived> {
    // Footprints may be wrong after an error, and a graph with errors needs no order.
    if diagnostics.has_errors() {
        return None;
    }
    let uses = Uses::from_footprints(footprints);
    let managed = conflicts::check(graph, footprints, &uses, values);
    diagnostics.extend(managed.mistakes);
    let (mut edges, mut turns) = (duplicates::edges(footprints.copies()), Vec::new());
    if automatic == AutomaticEdges::Add {
        order::add_edges(graph, footprints, &uses, &mut edges);
        late_names::add_edges(graph, footprints, &mut edges);
        turns = turns::turn_lists(graph, footprints);
    }
    Some(Derived { edges, turns, in_run: managed.in_run })
}

/// Adds the derived edges, turns and run checks to a graph.
#[doc(hidden)]
pub fn connect(graph: &mut Graph, footprints: &Footprints, follows: Derived, automatic: AutomaticEdges) {
    let Derived { edges, turns, mut in_run } = follows;
    graph.add_automatic(edges);
    graph.keep_turns(turns);
    if automatic == AutomaticEdges::Add && graph.has_deferred() {
        let mut uses = UsesInRun::default();
        for NodeFootprint { node, condition, footprint } in footprints.nodes() {
            let (node, footprint) = (*node, footprint.clone());
            uses.push(UseInRun { node, footprint, is_certain: condition.is_certain() });
        }
        in_run.uses = Some(uses);
    }
    let handled: Vec<NodeIndex> = footprints.nodes().iter().map(|footprint| footprint.node).collect();
    let resources =
        graph.nodes().filter(|(_, node)| node.role.is_resource() && node.resource.has_footprint());
    // Footprints are in the order of the nodes.
    let is_left_out = |index: &NodeIndex| handled.binary_search(index).is_err();
    in_run.left_out = resources.map(|(index, _)| index).filter(is_left_out).collect();
    in_run.has_covers = graph.has_deferred() || footprints.nodes().iter().any(|node| node.footprint.covers);
    in_run.late_in_trees = late_names::find(graph, footprints);
    let computed = footprints.nodes().iter().filter(|footprint| !graph.node(footprint.node).is_known());
    in_run.computed = computed.map(|computed| (computed.node, computed.footprint.clone())).collect();
    graph.check_in_run(in_run);
}

/// Finds the nodes added by a run that change the same thing, by known or assumed footprints.
#[doc(hidden)]
pub fn turns_in_run(
    graph: &Graph,
    nodes: &[UseInRun],
    assumed: Vec<(NodeIndex, Footprint)>,
) -> Vec<TurnList> {
    let nodes: Vec<&UseInRun> = nodes.iter().collect();
    let mut footprints = run_footprints(&nodes);
    for (node, footprint) in assumed {
        footprints.push_assumed(node, footprint);
    }
    turns::turn_lists(graph, &footprints)
}

/// Derives the edges of nodes of which some were added by a run.
#[doc(hidden)]
pub fn edges_in_run(graph: &Graph, nodes: &[&UseInRun]) -> Vec<AutomaticEdge> {
    let footprints = run_footprints(nodes);
    let mut edges = Vec::new();
    order::add_edges(graph, &footprints, &Uses::from_footprints(&footprints), &mut edges);
    edges
}

fn run_footprints(nodes: &[&UseInRun]) -> Footprints {
    let mut footprints = Footprints::with_capacity(nodes.len());
    for UseInRun { node, footprint, is_certain } in nodes {
        footprints.push(*node, footprint.clone(), Condition { gate: None, own: !is_certain });
    }
    footprints
}
