//! Turns of resources that change the same thing one after another.
//!
//! Each node waits until all nodes before it in the list have ended, whatever their outcome. While it waits,
//! it holds nothing but its position.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::ready_queue::ReadyQueue;
use crate::graph::{NodeIndex, TurnList};
use crate::tables::duplicates::may_have_duplicates;
use crate::tables::run_tables::Shared;
use crate::work::job::PendingApply;
use converge_graph::footprint::takes_turns;

#[derive(Default)]
pub(super) struct TurnQueue {
    lists: Vec<ActiveList>,
    /// The positions of each node in the lists.
    places: HashMap<NodeIndex, Vec<Place>>,
    held: BTreeMap<NodeIndex, PendingApply>,
    /// The held nodes that may hold a lock of duplicates.
    copies: BTreeSet<NodeIndex>,
    /// The held nodes, by a position that each waits for.
    waiting: BTreeMap<Place, Vec<NodeIndex>>,
}

struct ActiveList {
    list: TurnList,
    /// The position of the first node that has not ended.
    next: usize,
}

/// A position in a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    list: usize,
    at: usize,
}

impl TurnQueue {
    pub(super) fn new(shared: &Shared) -> Self {
        let mut turns = Self::default();
        shared.graph.turns().iter().for_each(|list| turns.add(list.clone()));
        for list in 0..turns.lists.len() {
            turns.advance(list, |index| !shared.setup.needed.has(index));
        }
        turns
    }

    fn add(&mut self, list: TurnList) {
        let number = self.lists.len();
        for (position, index) in list.nodes.iter().enumerate() {
            self.places.entry(*index).or_default().push(Place { list: number, at: position });
        }
        self.lists.push(ActiveList { list, next: 0 });
    }

    /// Adds the instances of an end node and their own turn lists.
    ///
    /// The instances take the position of the end node, which ends when they have ended.
    pub(super) fn added(
        &mut self,
        shared: &Shared,
        end: NodeIndex,
        instances: &[NodeIndex],
        lists: Vec<TurnList>,
    ) {
        if let Some(of_end) = self.places.get(&end).cloned() {
            for index in instances {
                let node = shared.graph.node(*index);
                let lock = node.resource.lock().unwrap_or_default();
                let is_its =
                    |place: &&Place| node.deferred().is_some() || lock == self.lists[place.list].list.lock;
                let places: Vec<Place> = of_end.iter().filter(is_its).copied().collect();
                if !places.is_empty() && (node.deferred().is_some() || takes_turns(node)) {
                    self.places.insert(*index, places);
                }
            }
        }
        for list in lists {
            self.add(list);
        }
    }

    /// Holds an apply whose turn has not come; returns any other.
    pub(super) fn hold(&mut self, shared: &Shared, pending: PendingApply) -> Option<PendingApply> {
        let index = pending.job.index;
        let Some(place) = self.closed(index) else { return Some(pending) };
        self.waiting.entry(place).or_default().push(index);
        if may_have_duplicates(shared.graph.node(index)) {
            self.copies.insert(index);
        }
        self.held.insert(index, pending);
        None
    }

    /// Returns a position of a node whose turn has not come.
    fn closed(&self, index: NodeIndex) -> Option<Place> {
        let mut places = self.places.get(&index)?.iter();
        places.find(|place| self.lists[place.list].next < place.at).copied()
    }

    pub(super) fn holds(&self, index: NodeIndex) -> bool {
        self.held.contains_key(&index)
    }

    /// Records that a node has ended, and returns the applies whose turn has come.
    pub(super) fn ended(
        &mut self,
        shared: &Shared,
        ready: &ReadyQueue,
        index: NodeIndex,
    ) -> Vec<PendingApply> {
        if self.lists.is_empty() {
            return Vec::new();
        }
        let mut open = Vec::new();
        for place in self.places.get(&index).cloned().unwrap_or_default() {
            self.advance(place.list, |index| !shared.setup.needed.has(index) || ready.has_ended(index));
            let reached = Place { at: self.lists[place.list].next, ..place };
            let from = Place { at: 0, ..place };
            while let Some((at, _)) = self.waiting.range(from..=reached).next() {
                let waiting_place = *at;
                open.extend(self.waiting.remove(&waiting_place).into_iter().flatten());
            }
        }
        let candidates: Vec<PendingApply> = open.into_iter().filter_map(|index| self.take(index)).collect();
        candidates.into_iter().filter_map(|pending| self.hold(shared, pending)).collect()
    }

    fn advance(&mut self, list: usize, is_over: impl Fn(NodeIndex) -> bool) {
        let Some(ActiveList { list, next }) = self.lists.get_mut(list) else { return };
        *next += list.nodes[*next..].iter().take_while(|index| is_over(**index)).count();
    }

    /// Releases one held apply when nothing else can proceed.
    ///
    /// An apply whose lock of duplicates is wanted by another node comes first, then the first in its list.
    pub(super) fn release_one(&mut self, is_wanted: impl Fn(NodeIndex) -> bool) -> Option<PendingApply> {
        let preferred = self.copies.iter().copied().find(|index| is_wanted(*index));
        let first = || self.waiting.values().flatten().copied().find(|index| self.holds(*index));
        let index = preferred.or_else(first)?;
        if let Some(place) = self.closed(index)
            && let Some(waiting) = self.waiting.get_mut(&place)
        {
            waiting.retain(|other| *other != index);
            if waiting.is_empty() {
                self.waiting.remove(&place);
            }
        }
        self.take(index)
    }

    fn take(&mut self, index: NodeIndex) -> Option<PendingApply> {
        self.copies.remove(&index);
        self.held.remove(&index)
    }

    /// Takes back all held applies.
    pub(super) fn drain(&mut self) -> BTreeMap<NodeIndex, PendingApply> {
        self.waiting.clear();
        self.copies.clear();
        std::mem::take(&mut self.held)
    }
}
