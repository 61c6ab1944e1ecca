//! The queue of ready nodes, which also tracks the phase of each node.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::graph::{Graph, NodeIndex};
use crate::tables::selection::Needed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Published,
    Started,
    Ended,
}

#[derive(Debug)]
pub(super) struct ReadyQueue {
    /// The number of unfinished dependencies of each node.
    waits: Vec<u32>,
    phases: Vec<Phase>,
    /// The ready nodes, as positions in `order`.
    ready: BinaryHeap<Reverse<u32>>,
    order: Order,
    /// Dependents that were added during the run, by the older node that they wait for.
    more: HashMap<NodeIndex, Vec<NodeIndex>>,
}

/// The order in which ready nodes are taken.
#[derive(Debug)]
enum Order {
    /// Smallest node first.
    ById,
    /// A pseudo-random order from a seed: the position of each node, and the node at each position.
    Mixed { places: Box<[u32]>, nodes: Box<[u32]> },
}

impl Order {
    fn mixed(len: usize, seed: u64) -> Self {
        let len = u32::try_from(len).unwrap_or(u32::MAX);
        let mut nodes: Box<[u32]> = (0..len).collect();
        // Multiplying by a large odd number and shifting mixes well enough for an order.
        let key = |node: u32| {
            let mixed =
                (u64::from(node) ^ seed).wrapping_add(seed << 7 | 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 16
        };
        nodes.sort_unstable_by_key(|node| (key(*node), *node));
        let mut places = vec![0; nodes.len()].into_boxed_slice();
        for (place, node) in (0..len).zip(&nodes) {
            places[*node as usize] = place;
        }
        Self::Mixed { places, nodes }
    }

    fn place(&self, index: NodeIndex) -> Reverse<u32> {
        Reverse(match self {
            Self::ById => index.number(),
            // Nodes added during the run use their own number as position.
            Self::Mixed { places, .. } => {
                places.get(index.as_usize()).copied().unwrap_or_else(|| index.number())
            }
        })
    }

    fn node(&self, place: u32) -> NodeIndex {
        NodeIndex::new(match self {
            Self::ById => place as usize,
            Self::Mixed { nodes, .. } => nodes.get(place as usize).copied().unwrap_or(place) as usize,
        })
    }
}

impl ReadyQueue {
    /// Creates the queue. Nodes that are not needed never become ready.
    pub(super) fn new(graph: &Graph, needed: &Needed, order: Option<u64>) -> Self {
        let order = order.map_or(Order::ById, |seed| Order::mixed(graph.len(), seed));
        let waits_for = |index| if needed.has(index) { graph.waits_for(index) } else { u32::MAX };
        let waits: Vec<u32> = graph.nodes().map(|(index, _)| waits_for(index)).collect();
        let ready = graph.nodes().map(|(index, _)| index).filter(|index| waits[index.as_usize()] == 0);
        let ready: Vec<_> = ready.map(|index| order.place(index)).collect();
        let phases = vec![Phase::Waiting; graph.len()];
        Self { phases, waits, ready: ready.into(), order, more: HashMap::new() }
    }

    /// Adds the nodes of the instances of an end node, with their numbers of dependencies.
    ///
    /// The end node then waits for its `instances`.
    pub(super) fn added(&mut self, end: NodeIndex, waits: Vec<u32>, instances: usize) {
        let first = self.waits.len();
        let count = u32::try_from(instances).unwrap_or(u32::MAX);
        let ready = (first..).zip(&waits).filter(|(_, waits)| **waits == 0).map(|(at, _)| NodeIndex::new(at));
        self.ready.extend(ready.map(|index| self.order.place(index)));
        self.phases.resize(first + waits.len(), Phase::Waiting);
        self.waits.extend(waits);
        self.waits[end.as_usize()] = count;
        self.not_begun(end);
        if count == 0 {
            self.put_back(end);
        }
    }

    /// Whether a node waits for nothing and has not begun.
    pub(super) fn is_ready(&self, index: NodeIndex) -> bool {
        self.waits[index.as_usize()] == 0 && self.phases[index.as_usize()] == Phase::Waiting
    }

    /// Resets a node that has begun to its state before.
    pub(super) fn not_begun(&mut self, index: NodeIndex) {
        self.phases[index.as_usize()] = Phase::Waiting;
    }

    /// Records that an added node waits for an older one.
    pub(super) fn add_dependent(&mut self, dependency: NodeIndex, added: NodeIndex) {
        self.more.entry(dependency).or_default().push(added);
    }

    /// Returns the direct dependents of a node.
    pub(super) fn dependents<'a>(
        &'a self,
        graph: &'a Graph,
        index: NodeIndex,
    ) -> impl Iterator<Item = NodeIndex> + 'a {
        graph.dependents(index).iter().chain(self.more.get(&index).into_iter().flatten()).copied()
    }

    /// Returns the first ready node: the smallest one, unless another order was requested.
    pub(super) fn first(&self) -> Option<NodeIndex> {
        self.ready.peek().map(|Reverse(place)| self.order.node(*place))
    }

    pub(super) fn ready(&self) -> impl Iterator<Item = NodeIndex> {
        self.ready.iter().map(|Reverse(place)| self.order.node(*place))
    }

    pub(super) fn remove_first(&mut self) {
        self.ready.pop();
    }

    /// Makes a node that had to wait for something else ready again.
    pub(super) fn put_back(&mut self, index: NodeIndex) {
        self.ready.push(self.order.place(index));
    }

    /// Returns the first node that may become ready once this node and `done` nodes in all are done.
    pub(super) fn first_after(&self, graph: &Graph, index: NodeIndex, limit: usize) -> Option<NodeIndex> {
        let may_be_ready = |on: &&NodeIndex| self.waits[on.as_usize()] as usize <= limit;
        graph.dependents(index).iter().find(may_be_ready).copied()
    }

    pub(super) fn published(&mut self, index: NodeIndex) {
        self.phases[index.as_usize()] = Phase::Published;
    }

    /// Marks a node as started. Returns whether it was not before.
    pub(super) fn started(&mut self, index: NodeIndex) -> bool {
        let phase = &mut self.phases[index.as_usize()];
        let is_news = *phase == Phase::Published;
        if is_news {
            *phase = Phase::Started;
        }
        is_news
    }

    /// Marks nodes that are published but not started as not begun.
    pub(super) fn take_back(&mut self) {
        let published = self.phases.iter_mut().filter(|phase| **phase == Phase::Published);
        published.for_each(|phase| *phase = Phase::Waiting);
    }

    pub(super) fn is_running(&self, index: NodeIndex) -> bool {
        self.phases[index.as_usize()] == Phase::Started
    }

    pub(super) fn has_ended(&self, index: NodeIndex) -> bool {
        self.phases[index.as_usize()] == Phase::Ended
    }

    /// Records that a node has ended. Calls `ready` for each dependent that waits for nothing more.
    pub(super) fn ended(&mut self, graph: &Graph, index: NodeIndex, mut ready: impl FnMut(NodeIndex)) {
        self.phases[index.as_usize()] = Phase::Ended;
        let added = if self.more.is_empty() { None } else { self.more.remove(&index) };
        for &dependent in graph.dependents(index).iter().chain(added.iter().flatten()) {
            let waits = &mut self.waits[dependent.as_usize()];
            *waits -= 1;
            if *waits == 0 {
                self.ready.push(self.order.place(dependent));
                ready(dependent);
            }
        }
    }
}
