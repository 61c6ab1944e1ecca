//! Adds the instances of a `for_each` that depended on lookups to the graph of the run.
//!
//! An instance waits for the dependencies of its end node, which have ended. It also waits for the producers
//! of the things it needs, as if it had been known at load. Existing nodes never wait for a new instance
//! because of a thing: they may have ended already, and the order must not depend on timing. Nodes that have
//! to run later declare `depends`.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::ready_queue::ReadyQueue;
use crate::graph::{
    AutomaticEdge, Edge, EdgeReason, Graph, Links, NodeIndex, TurnList, UseInRun, UsesInRun, in_order,
};
use crate::sdk::context::RunMode;
use crate::tables::instance_selection::Selected;
use crate::tables::node_flags::{AWAITED, LEFT_OUT};
use crate::tables::run_tables::Shared;
use crate::types::hash::NameMap;
use crate::work::expand::{Expansion, NewDependency, NewNode};
use converge_graph::footprint::{edges_in_run, turns_in_run};

/// The things that the added instances use.
#[derive(Debug, Default)]
pub(super) struct AddedInstances {
    uses: UsesInRun,
    /// The first copy of each node with the same values.
    copies: NameMap<u64, NodeIndex>,
}

/// The dependencies of newly added nodes.
struct NewLinks {
    first: usize,
    dependencies: Vec<Vec<Edge>>,
}

impl NewLinks {
    /// Returns the position of a node if it is newly added.
    fn place(&self, index: NodeIndex) -> Option<usize> {
        index.as_usize().checked_sub(self.first).filter(|place| *place < self.dependencies.len())
    }

    /// Returns the newly added nodes that a new node waits for.
    fn new_dependencies(&self, from: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let edges = self.place(from).map(|place| &self.dependencies[place]);
        edges.into_iter().flatten().map(|edge| edge.on).filter(|on| self.place(*on).is_some())
    }

    fn add(&mut self, from: NodeIndex, edge: Edge) {
        if let Some(place) = self.place(from) {
            self.dependencies[place].push(edge);
        }
    }

    /// Returns each dependency between newly added nodes once.
    fn dependency_pairs(&self) -> impl Iterator<Item = (NodeIndex, NodeIndex)> {
        let nodes = (self.first..).map(NodeIndex::new).zip(&self.dependencies);
        nodes.flat_map(|(from, edges)| {
            edges.chunk_by(|a, b| a.on == b.on).map(move |edges| (from, edges[0].on))
        })
    }
}

impl AddedInstances {
    /// Adds instances to the graph, and returns the indexes of their nodes and the new turn lists.
    pub(super) fn add(
        &mut self,
        shared: &Shared,
        ready: &mut ReadyQueue,
        end: NodeIndex,
        expansion: Expansion,
    ) -> (Vec<NodeIndex>, Vec<TurnList>) {
        let graph = &shared.graph;
        let Expansion { len, nodes: new, entries } = expansion;
        let instances = new.len().checked_div(len).unwrap_or_default();
        let (mut nodes, mut of_nodes) = (Vec::with_capacity(new.len()), Vec::with_capacity(new.len()));
        for NewNode { node, waits, footprint, assumed, copy, selected } in new {
            let is_gated = waits.iter().any(|edge| edge.reason == EdgeReason::Gate);
            let is_certain = !is_gated && node.meta.as_ref().is_none_or(|meta| meta.when.is_none());
            nodes.push(node);
            of_nodes.push((waits, footprint, assumed, copy, selected, is_certain));
        }
        let range = graph.add_instances(end, nodes, len);
        shared.grow(end, range.clone());
        let added: Vec<NodeIndex> = range.clone().map(NodeIndex::new).collect();
        let mut links = NewLinks { first: range.start, dependencies: Vec::with_capacity(added.len()) };
        let (mut uses, mut all_assumed, mut copies) = (Vec::new(), Vec::new(), Vec::new());
        let mut chosen = Vec::with_capacity(added.len());
        for (index, (waits, footprint, assumed, copy, selected, is_certain)) in added.iter().zip(of_nodes) {
            let resolve_dependency = |on| match on {
                NewDependency::Before(index) => index,
                NewDependency::New(place) => NodeIndex::new(range.start + place),
            };
            let edges = waits.iter().map(|edge| Edge {
                on: resolve_dependency(edge.on),
                reason: edge.reason,
                span: edge.span,
            });
            links.dependencies.push(edges.collect());
            chosen.push(selected);
            if selected == Selected::Skipped {
                continue;
            }
            uses.extend(footprint.map(|footprint| UseInRun { node: *index, footprint, is_certain }));
            all_assumed.extend(assumed.map(|assumed| (*index, assumed)));
            let first = copy.map(|copy| *self.copies.entry(copy).or_insert(*index));
            copies.extend(first.filter(|dependency| dependency != index).map(|on| (*index, on)));
        }
        let mut edges = self.edges(shared, ready, end, &uses, &links);
        edges.extend(copies.into_iter().map(|(from, on)| AutomaticEdge {
            from,
            on,
            gives_way: false,
            thing: None,
            even_after: false,
        }));
        for AutomaticEdge { from, on, thing, .. } in edges {
            let reason = if thing.is_some() { EdgeReason::Footprint } else { EdgeReason::Copy };
            links.add(from, Edge { on, reason, span: None });
            shared.flags.add(on, AWAITED);
        }
        select_dependencies(&links, &mut chosen);
        let is_taken =
            |index: NodeIndex| links.place(index).map(|place| chosen[place]) == Some(Selected::Taken);
        let entry = |index| links.place(index).and_then(|place| entries.get(place.checked_div(len)?));
        let declared = |index| (entry(index), graph.node(index).declared);
        // A plan applies nothing, so it needs no turns.
        let mut turns = match shared.mode() {
            RunMode::Apply => turns_in_run(graph, &uses, all_assumed),
            RunMode::Plan => Vec::new(),
        };
        for list in &mut turns {
            list.nodes.retain(|index| is_taken(*index));
        }
        let turns = in_order(turns, range.clone(), declared, |index| links.new_dependencies(index));
        added.iter().filter(|index| !is_taken(**index)).for_each(|index| shared.flags.add(*index, LEFT_OUT));
        uses.into_iter().filter(|node_use| is_taken(node_use.node)).for_each(|one| self.uses.push(one));
        connect(shared, ready, (end, len, instances), links);
        (added, turns)
    }

    /// Returns the automatic edges of the new instances, sorted and without duplicates.
    fn edges(
        &self,
        shared: &Shared,
        ready: &ReadyQueue,
        end: NodeIndex,
        new: &[UseInRun],
        links: &NewLinks,
    ) -> Vec<AutomaticEdge> {
        let graph = &shared.graph;
        let Some(known_uses) = &graph.managed_in_run().uses else { return Vec::new() };
        let footprints = || new.iter().map(|node_use| &node_use.footprint);
        let before = known_uses.around(footprints()).into_iter().chain(self.uses.around(footprints()));
        // Nodes that have ended count too: they may have failed, or in a plan their change is still to be
        // made.
        let before = before.filter(|node_use| shared.works_on(node_use.node));
        let all_uses: Vec<&UseInRun> = before.chain(new).collect();
        if all_uses.is_empty() {
            return Vec::new();
        }
        let is_new: HashSet<NodeIndex> = new.iter().map(|node_use| node_use.node).collect();
        let mut edges = edges_in_run(graph, &all_uses);
        edges.retain(|edge| is_new.contains(&edge.from) && edge.from != edge.on);
        edges.sort_unstable();
        edges.dedup_by_key(|edge| (edge.from, edge.on));
        if edges.iter().any(|edge| !is_new.contains(&edge.on)) {
            let behind = all_dependents(graph, ready, end);
            edges.retain(|edge| !behind.contains(&edge.on));
        }
        without_cycles(edges, links)
    }
}

/// Returns the direct and indirect dependents of a node.
fn all_dependents(graph: &Graph, ready: &ReadyQueue, index: NodeIndex) -> HashSet<NodeIndex> {
    let (mut dependents, mut open) = (HashSet::new(), vec![index]);
    while let Some(current) = open.pop() {
        open.extend(ready.dependents(graph, current).filter(|next| dependents.insert(*next)));
    }
    dependents
}

/// Also selects the dependencies of every selected node.
fn select_dependencies(links: &NewLinks, chosen: &mut [Selected]) {
    let taken_places = chosen.iter().enumerate().filter(|(_, selected)| **selected == Selected::Taken);
    let mut open: Vec<usize> = taken_places.map(|(place, _)| place).collect();
    while let Some(place) = open.pop() {
        for dependency in links.dependencies[place].iter().filter_map(|edge| links.place(edge.on)) {
            if chosen[dependency] == Selected::NotChosen {
                chosen[dependency] = Selected::Taken;
                open.push(dependency);
            }
        }
    }
}

/// Removes the edges that would close a cycle.
///
/// Declared dependencies take precedence. Among the nodes of a cycle, the order of declaration decides.
fn without_cycles(mut edges: Vec<AutomaticEdge>, links: &NewLinks) -> Vec<AutomaticEdge> {
    let explicit_edges: Vec<(NodeIndex, NodeIndex)> = links.dependency_pairs().collect();
    let automatic = edges.iter().map(|edge| (edge.from, edge.on));
    let all_edges: Vec<(NodeIndex, NodeIndex)> = explicit_edges.iter().copied().chain(automatic).collect();
    let order = order(&all_edges, links);
    if order.iter().all(Option::is_some) {
        return edges;
    }
    let position_of =
        |index, of: &[Option<usize>]| links.place(index).and_then(|place| of.get(place).copied().flatten());
    let is_stuck = |edge: &AutomaticEdge| {
        let is_new = links.place(edge.on).is_some();
        is_new && position_of(edge.from, &order).is_none() && position_of(edge.on, &order).is_none()
    };
    if edges.iter().any(|edge| edge.gives_way && is_stuck(edge)) {
        edges.retain(|edge| !edge.gives_way || !is_stuck(edge));
        return without_cycles(edges, links);
    }
    let of_written = self::order(&explicit_edges, links);
    edges.retain(|edge| {
        !is_stuck(edge) || position_of(edge.on, &of_written) < position_of(edge.from, &of_written)
    });
    edges
}

/// Returns the topological position of each new node, smallest node first.
///
/// Nodes in a cycle, and those that wait for them, have `None`.
fn order(edges: &[(NodeIndex, NodeIndex)], links: &NewLinks) -> Vec<Option<usize>> {
    let len = links.dependencies.len();
    let (mut waits, mut dependents) = (vec![0_usize; len], vec![Vec::new(); len]);
    for (from, dependency) in edges {
        if let (Some(from), Some(on)) = (links.place(*from), links.place(*dependency)) {
            waits[from] += 1;
            dependents[on].push(from);
        }
    }
    let mut open: BinaryHeap<Reverse<usize>> =
        (0..len).filter(|place| waits[*place] == 0).map(Reverse).collect();
    let mut order = vec![None; len];
    let mut next = 0..;
    while let Some(Reverse(at)) = open.pop() {
        order[at] = next.next();
        for from in std::mem::take(&mut dependents[at]) {
            waits[from] -= 1;
            if waits[from] == 0 {
                open.push(Reverse(from));
            }
        }
    }
    order
}

/// Connects the new nodes with their dependencies and dependents.
fn connect(
    shared: &Shared,
    ready: &mut ReadyQueue,
    (end, len, instances): (NodeIndex, usize, usize),
    mut links: NewLinks,
) {
    links.dependencies.iter_mut().for_each(|edges| edges.sort_by_key(|edge| (edge.on, edge.reason)));
    let count = links.dependencies.len();
    let (mut waits, mut dependents) = (vec![0_u32; count], vec![Vec::new(); count]);
    for (from, dependency) in links.dependency_pairs() {
        let Some(place) = links.place(from) else { continue };
        if let Some(dependency) = links.place(dependency) {
            dependents[dependency].push(from);
        } else if shared.setup.needed.has(dependency) && !ready.has_ended(dependency) {
            ready.add_dependent(dependency, from);
        } else {
            continue;
        }
        waits[place] += 1;
    }
    let nodes = (links.first..).map(NodeIndex::new).zip(links.dependencies).zip(dependents).enumerate();
    for (place, ((index, dependencies), mut dependents)) in nodes {
        if place.is_multiple_of(len.max(1)) {
            dependents.push(end);
            dependents.sort_unstable();
        }
        let (dependencies, dependents) = (dependencies.into(), dependents.into());
        shared.graph.link_added(index, Links { dependencies, dependents });
    }
    ready.added(end, waits, instances);
}
