//! Orders the nodes: knows which are ready, and how far each is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::engine::target::Needed;
use crate::graph::{Graph, NodeIndex};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Waiting,
    Published,
    Started,
    Ended,
}

#[derive(Debug)]
pub(super) struct ReadyQueue {
    /// How many dependencies of each node have not ended.
    waits: Vec<u32>,
    phases: Vec<Phase>,
    ready: BinaryHeap<Reverse<NodeIndex>>,
}

impl ReadyQueue {
    /// What is not needed is never ready.
    pub(super) fn new(graph: &Graph, needed: &Needed) -> Self {
        let waits_for = |index| if needed.has(index) { graph.waits_for(index) } else { u32::MAX };
        let waits: Vec<u32> = graph.nodes().map(|(index, _)| waits_for(index)).collect();
        let ready = graph.nodes().map(|(index, _)| index).filter(|index| waits[index.as_usize()] == 0);
        let ready: Vec<_> = ready.map(Reverse).collect();
        Self { phases: vec![Phase::Waiting; graph.len()], waits, ready: ready.into() }
    }

    /// The smallest node that is ready.
    pub(super) fn first(&self) -> Option<NodeIndex> {
        self.ready.peek().map(|Reverse(index)| *index)
    }

    pub(super) fn ready(&self) -> impl Iterator<Item = NodeIndex> {
        self.ready.iter().map(|Reverse(index)| *index)
    }

    pub(super) fn remove_first(&mut self) {
        self.ready.pop();
    }

    /// A node that had to wait for something else is ready again.
    pub(super) fn put_back(&mut self, index: NodeIndex) {
        self.ready.push(Reverse(index));
    }

    /// The first node that may be ready when this one and so many in all are done.
    pub(super) fn first_after(&self, graph: &Graph, index: NodeIndex, done: usize) -> Option<NodeIndex> {
        let may_be_ready = |on: &&NodeIndex| self.waits[on.as_usize()] as usize <= done;
        graph.dependents(index).iter().find(may_be_ready).copied()
    }

    pub(super) fn published(&mut self, index: NodeIndex) {
        self.phases[index.as_usize()] = Phase::Published;
    }

    /// Whether that is news.
    pub(super) fn started(&mut self, index: NodeIndex) -> bool {
        let phase = &mut self.phases[index.as_usize()];
        let is_news = *phase == Phase::Published;
        if is_news {
            *phase = Phase::Started;
        }
        is_news
    }

    /// Nobody will take what is published and was not started.
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

    /// A node has ended; calls `ready` with each one that has waited for it and waits for nothing more.
    pub(super) fn ended(&mut self, graph: &Graph, index: NodeIndex, mut ready: impl FnMut(NodeIndex)) {
        self.phases[index.as_usize()] = Phase::Ended;
        for &dependent in graph.dependents(index) {
            let waits = &mut self.waits[dependent.as_usize()];
            *waits -= 1;
            if *waits == 0 {
                self.ready.push(Reverse(dependent));
                ready(dependent);
            }
        }
    }
}
