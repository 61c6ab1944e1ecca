//! Whose turn it is to change the machine, where a resource type has a say in that: by a lock, or because its tasks are
//! applied in batches.
//!
//! What waits here has been checked, is owned by nobody else, and keeps no worker from its work. Nothing that waits for a
//! turn is waited for by a turn: a batch waits for checks only, and a lock for what is being applied. So there is
//! always somebody who goes on.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use crate::engine::attempt::Seen;
use crate::engine::job::Held;
use crate::engine::shared::Shared;
use crate::graph::{Node, NodeIndex};

/// The nodes that wait for their turn, and those that have it.
#[derive(Default)]
pub(super) struct Turns {
    /// Whether any node of this run takes turns.
    any: bool,
    batches: BTreeMap<Key, Batch>,
    locks: BTreeMap<&'static str, Lock>,
    /// Parts of the structure that are ready: what they decide may make others ready, which then come along.
    gates: HashSet<NodeIndex>,
}

/// Some nodes that may change the machine now.
pub(super) struct Turn {
    /// In the order of their ids.
    pub(super) members: Vec<Held>,
    pub(super) seen: Seen,
}

/// What can be applied together: nodes of one type with one timeout, which is then that of the batch.
type Key = (&'static str, Option<Duration>);

/// The next batch of one key.
#[derive(Default)]
struct Batch {
    lock: Option<&'static str>,
    /// Nodes that are ready, and may turn out to belong to it.
    unchecked: HashSet<NodeIndex>,
    held: BTreeMap<NodeIndex, Held>,
}

impl Batch {
    /// Its first member, when all are there.
    fn first(&self) -> Option<NodeIndex> {
        self.held.keys().next().copied().filter(|_| self.unchecked.is_empty())
    }
}

/// A lock of resource types.
#[derive(Default)]
struct Lock {
    /// Who holds it: the members of one turn.
    holders: HashSet<NodeIndex>,
    /// How often a holder let go of it.
    uses: u64,
    /// How often that was before the check of a node began.
    began: HashMap<NodeIndex, u64>,
    /// Nodes that are applied alone.
    alone: BTreeMap<NodeIndex, Held>,
}

impl Turns {
    pub(super) fn new(shared: &Shared) -> Self {
        let any = shared.graph.nodes().any(|(index, _)| shared.takes_turns(index));
        Self { any, ..Self::default() }
    }

    /// All that a node waits for has ended.
    pub(super) fn ready(&mut self, shared: &Shared, index: NodeIndex) {
        if !self.any {
            return;
        }
        let node = shared.graph.node(index);
        if node.role.is_structure() {
            self.gates.insert(index);
        } else if let Some(key) = batch_key(node) {
            let batch = self.batches.entry(key).or_default();
            batch.lock = node.resource.lock();
            batch.unchecked.insert(index);
        }
    }

    /// The work on a node is about to begin.
    pub(super) fn begins(&mut self, shared: &Shared, index: NodeIndex) {
        if let Some(name) = self.lock_name(shared, index) {
            let lock = self.locks.entry(name).or_default();
            lock.began.insert(index, lock.uses);
        }
    }

    /// A node has no turn and asks for none now: it has ended, waits for its group, or is tried again later.
    pub(super) fn leave(&mut self, shared: &Shared, index: NodeIndex) {
        if !self.any {
            return;
        }
        self.gates.remove(&index);
        let node = shared.graph.node(index);
        if let Some(batch) = batch_key(node).and_then(|key| self.batches.get_mut(&key)) {
            batch.unchecked.remove(&index);
        }
        if let Some(lock) = self.lock_name(shared, index).and_then(|name| self.locks.get_mut(name)) {
            lock.uses += u64::from(lock.holders.remove(&index));
            lock.began.remove(&index);
        }
    }

    /// A node is to be changed, and waits.
    pub(super) fn hold(&mut self, shared: &Shared, held: Held) {
        let index = held.job.index;
        let node = shared.graph.node(index);
        if let Some(batch) = batch_key(node).map(|key| self.batches.entry(key).or_default()) {
            batch.unchecked.remove(&index);
            if held.change.fits_a_batch() {
                batch.held.insert(index, held);
                return;
            }
        }
        let lock = self.locks.entry(node.resource.lock().unwrap_or_default()).or_default();
        lock.alone.insert(index, held);
    }

    /// Gives a turn to the smallest node that can have one, and to those that come with it.
    pub(super) fn next(&mut self) -> Option<Turn> {
        if !self.any {
            return None;
        }
        let free = |name: &'static str| self.locks.get(name).is_none_or(|lock| lock.holders.is_empty());
        let complete =
            self.batches.iter().filter(|(_, batch)| self.gates.is_empty() && batch.lock.is_none_or(free));
        let batch = complete.filter_map(|(key, batch)| Some((batch.first()?, *key))).min();
        let alone = self.locks.iter().filter(|(_, lock)| lock.holders.is_empty());
        let alone = alone.filter_map(|(name, lock)| Some((*lock.alone.keys().next()?, *name))).min();
        match (batch, alone) {
            (Some((first, key)), alone) if alone.is_none_or(|(other, _)| first < other) => {
                let batch = self.batches.get_mut(&key)?;
                let members = std::mem::take(&mut batch.held);
                let lock = batch.lock;
                Some(self.give(lock, members))
            }
            (_, Some((index, name))) => {
                let held = self.locks.get_mut(name)?.alone.remove(&index)?;
                Some(self.give(Some(name), BTreeMap::from([(index, held)])))
            }
            _ => None,
        }
    }

    fn give(&mut self, lock: Option<&'static str>, members: BTreeMap<NodeIndex, Held>) -> Turn {
        let mut seen = Seen::Now;
        if let Some(name) = lock {
            let lock = self.locks.entry(name).or_default();
            let uses = lock.uses;
            if members.keys().any(|index| lock.began.get(index).is_some_and(|began| *began != uses)) {
                seen = Seen::Before;
            }
            lock.holders.extend(members.keys());
        }
        Turn { members: members.into_values().collect(), seen }
    }

    /// All that wait, who will have no turn.
    pub(super) fn stop(&mut self) -> Vec<Held> {
        let batches = self.batches.values_mut().map(|batch| &mut batch.held);
        let alone = self.locks.values_mut().map(|lock| &mut lock.alone);
        let mut held = BTreeMap::new();
        for waiting in batches.chain(alone) {
            held.append(waiting);
        }
        held.into_values().collect()
    }

    fn lock_name(&self, shared: &Shared, index: NodeIndex) -> Option<&'static str> {
        if self.any { shared.graph.node(index).resource.lock() } else { None }
    }
}

/// What a node can be applied together with.
fn batch_key(node: &Node) -> Option<Key> {
    let timeout = node.meta.as_ref().and_then(|meta| meta.timeout);
    node.resource.batches().then(|| (node.resource.name(), timeout))
}
