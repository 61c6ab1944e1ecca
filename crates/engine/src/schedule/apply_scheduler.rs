//! Schedules applies of resource types that have a lock or are applied in batches.
//!
//! Applies in this queue have passed their check, are owned by the scheduler alone, and occupy no worker. The
//! queue cannot deadlock: a batch waits only for checks, and a lock only for running applies, and neither
//! waits for the scheduler. An apply that waits for its [turn](super::turns) is released when nothing else
//! can proceed.
//!
//! Waiting applies are values rather than sleeping tasks. They can be counted, taken back by an interrupt,
//! and never lost.
//!
//! - A batch begins when no further node of its type is on its way to it, or when it is full and only larger
//!   nodes are on their way. A time window would make batches depend on the speed of the machine, and waiting
//!   for the whole graph would deadlock.
//! - A batch begins only if fewer members of its type than one batch may have are being applied. What members
//!   hold until the batch is done, such as open files, is thus bounded.
//! - Resources with different timeouts are in different batches, because one future can only be dropped as a
//!   whole. So are resources with different environments.
//! - The lock of a type is held only from the apply to the check after it, because parallel checks are what
//!   makes a run fast. If another node held the lock since the first check, that check may be outdated and is
//!   repeated.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::lock_waits::Awaited;
use super::ready_queue::ReadyQueue;
use super::turns::TurnQueue;
use crate::events::lock_wait::{HeldBy, LockKind};
use crate::graph::{Environment, Node, NodeIndex, TurnList};
use crate::persistence::shared_locks::{Answer, Refused, SharedLocks};
use crate::state::LockName;
use crate::tables::run_tables::Shared;
use crate::work::attempt_progress::Freshness;
use crate::work::job::PendingApply;

/// The number of full batches of one type that may wait before no further node is checked.
///
/// Checks are faster than applies, and the members of all batches that wait are in memory.
const FULL_BATCHES: usize = 4;

#[derive(Default)]
pub(super) struct ApplyScheduler {
    /// Whether this run has anything to schedule.
    has_work: bool,
    batches: BTreeMap<BatchKey, PendingBatch>,
    /// The members of running batches by type.
    applying: HashMap<&'static str, HashSet<NodeIndex>>,
    locks: BTreeMap<TypeLockName, TypeLock>,
    /// The locks that another run held at the last attempt.
    elsewhere: HashSet<TypeLockName>,
    /// Structure nodes that are ready. Their decisions may make other members of a batch ready.
    gates: HashSet<NodeIndex>,
    turns: TurnQueue,
    /// Nodes without a lock that have waited for their turn, so that their check is outdated.
    turned: HashSet<NodeIndex>,
}

/// Nodes whose apply can begin.
pub(super) struct ScheduledApply {
    /// The members in the order of their ids.
    pub(super) members: Vec<PendingApply>,
    pub(super) freshness: Freshness,
    /// The reason why the members cannot be applied.
    pub(super) refused: Option<Refused>,
}

/// The properties that members of a batch share: type, timeout and environment.
type BatchKey = (&'static str, Option<Duration>, Arc<Environment>);

/// The name of a lock shared by resource types.
type TypeLockName = &'static str;

/// The next apply that could begin.
#[derive(Clone)]
enum Candidate {
    Batch(BatchKey),
    Alone(NodeIndex, TypeLockName),
}

/// The next batch for a key.
struct PendingBatch {
    lock: Option<TypeLockName>,
    at_most: usize,
    /// Ready nodes that may still join the batch.
    unchecked: BTreeSet<NodeIndex>,
    members: BTreeMap<NodeIndex, PendingApply>,
    /// Members whose wait for the lock has not been reported.
    unreported: Vec<NodeIndex>,
}

impl PendingBatch {
    /// Creates the batch for the type of a node.
    fn new(node: &Node) -> Self {
        let at_most = node.resource.batch().map_or(usize::MAX, |batch| batch.at_most.max(1));
        let lock = node.resource.lock();
        Self { lock, at_most, unchecked: BTreeSet::new(), members: BTreeMap::new(), unreported: Vec::new() }
    }

    /// Returns the first member if the members of the next call are known.
    fn first(&self) -> Option<NodeIndex> {
        let is_complete = match self.unchecked.first() {
            None => true,
            Some(_) if self.members.len() < self.at_most => false,
            Some(next) => self.members.keys().nth(self.at_most - 1).is_some_and(|last| last < next),
        };
        self.members.keys().next().copied().filter(|_| is_complete)
    }

    /// Takes as many members as one call applies.
    fn take(&mut self) -> BTreeMap<NodeIndex, PendingApply> {
        let rest = self.members.keys().nth(self.at_most).copied();
        let rest = rest.map(|rest| self.members.split_off(&rest)).unwrap_or_default();
        mem::replace(&mut self.members, rest)
    }
}

#[derive(Default)]
struct TypeLock {
    /// The members of the apply that holds the lock.
    holders: HashSet<NodeIndex>,
    /// The number of releases; for a shared lock, those of all runs.
    releases: u64,
    /// The number of releases before the check of each node began.
    releases_before: HashMap<NodeIndex, u64>,
    /// Nodes that are applied on their own and wait for the lock.
    waiting: BTreeMap<NodeIndex, PendingApply>,
    /// Nodes whose wait has not been reported.
    unreported: Vec<NodeIndex>,
}

impl ApplyScheduler {
    pub(super) fn new(shared: &Shared) -> Self {
        let has_scheduled = shared.graph.declared().any(|node| shared.schedules(node));
        let turns = if has_scheduled { TurnQueue::new(shared) } else { TurnQueue::default() };
        Self { has_work: has_scheduled, turns, ..Self::default() }
    }

    /// Records that all dependencies of a node have ended.
    pub(super) fn ready(&mut self, shared: &Shared, index: NodeIndex) {
        if !self.has_work {
            return;
        }
        let node = shared.graph.node(index);
        if node.role.is_structure() {
            self.gates.insert(index);
        } else if let Some(key) = batch_key(node) {
            let batch = self.batches.entry(key).or_insert_with(|| PendingBatch::new(node));
            batch.unchecked.insert(index);
        }
    }

    /// Records that the work on a node is about to begin.
    pub(super) fn begins(&mut self, shared: &Shared, others: &mut SharedLocks, index: NodeIndex) {
        if let Some(name) = self.lock_of(shared, index) {
            let lock = self.locks.entry(name).or_default();
            let releases = others.sequence(&LockName::Type(name)).unwrap_or(lock.releases);
            lock.releases_before.insert(index, releases);
        }
    }

    /// Releases the locks of a node that has ended, waits for its group, or will be retried later.
    pub(super) fn release(&mut self, shared: &Shared, index: NodeIndex) {
        if !self.has_work {
            return;
        }
        self.gates.remove(&index);
        self.applied(shared, index);
        let node = shared.graph.node(index);
        if let Some(batch) = batch_key(node).and_then(|key| self.batches.get_mut(&key)) {
            batch.unchecked.remove(&index);
        }
        let Some(name) = self.lock_of(shared, index) else { return };
        if let Some(lock) = self.locks.get_mut(name) {
            if lock.holders.remove(&index) {
                lock.releases += 1;
                if lock.holders.is_empty() {
                    shared.held.give_back(&LockName::Type(name));
                }
            }
            lock.releases_before.remove(&index);
        }
    }

    /// Whether many members wait for running batches, so that the checks of others should wait too.
    pub(super) fn is_behind(&self) -> bool {
        self.batches.iter().any(|((name, ..), batch)| {
            batch.members.len() / FULL_BATCHES >= batch.at_most
                && self.applying.get(name).is_some_and(|applying| !applying.is_empty())
        })
    }

    /// Records that the call for the batch of a node has ended.
    pub(super) fn applied(&mut self, shared: &Shared, index: NodeIndex) {
        if let Some(applying) = self.applying.get_mut(shared.graph.node(index).resource.name()) {
            applying.remove(&index);
        }
    }

    pub(super) fn add(&mut self, shared: &Shared, pending: PendingApply) {
        let index = pending.job.index;
        let node = shared.graph.node(index);
        let batch =
            batch_key(node).map(|key| self.batches.entry(key).or_insert_with(|| PendingBatch::new(node)));
        if let Some(batch) = batch {
            batch.unchecked.remove(&index);
            if pending.change.fits_a_batch() {
                batch.members.insert(index, pending);
                batch.unreported.push(index);
                return;
            }
        }
        self.lock(node).unreported.push(index);
        if let Some(pending) = self.turns.hold(shared, pending) {
            self.wait(shared, pending);
        }
    }

    fn lock(&mut self, node: &Node) -> &mut TypeLock {
        self.locks.entry(node.resource.lock().unwrap_or_default()).or_default()
    }

    fn wait(&mut self, shared: &Shared, pending: PendingApply) {
        let index = pending.job.index;
        self.lock(shared.graph.node(index)).waiting.insert(index, pending);
    }

    /// Records that a node has ended, which may be the turn of others.
    pub(super) fn ended(&mut self, shared: &Shared, ready: &ReadyQueue, index: NodeIndex) {
        for pending in self.turns.ended(shared, ready, index) {
            self.turned.insert(pending.job.index);
            self.wait(shared, pending);
        }
    }

    /// Adds the turn lists of new instances.
    pub(super) fn added(
        &mut self,
        shared: &Shared,
        end: NodeIndex,
        instances: &[NodeIndex],
        turns: Vec<TurnList>,
    ) {
        if self.has_work {
            self.turns.added(shared, end, instances, turns);
        }
    }

    /// Releases one apply that waits for its turn, if nothing else can proceed.
    ///
    /// Returns whether there was one.
    pub(super) fn release_turn(&mut self, shared: &Shared, is_wanted: impl Fn(NodeIndex) -> bool) -> bool {
        let Some(pending) = self.turns.release_one(is_wanted) else { return false };
        self.turned.insert(pending.job.index);
        self.wait(shared, pending);
        true
    }

    /// Returns the smallest node that can be applied, with the rest of its batch.
    pub(super) fn next(&mut self, shared: &Shared, others: &mut SharedLocks) -> Option<ScheduledApply> {
        if !self.has_work {
            return None;
        }
        self.elsewhere.clear();
        loop {
            let candidate = self.candidate(&self.elsewhere)?;
            let lock = self.lock_of_candidate(&candidate);
            match lock.map_or(Answer::Taken(None), |name| others.ask(&shared.held, LockName::Type(name))) {
                Answer::Waits => self.elsewhere.extend(lock),
                Answer::Taken(before) => return self.start(candidate, before),
                Answer::Refused(refused) => {
                    let scheduled = self.start(candidate, None)?;
                    return Some(ScheduledApply { refused: Some(refused), ..scheduled });
                }
            }
        }
    }

    fn candidate(&self, taken_locks: &HashSet<TypeLockName>) -> Option<Candidate> {
        // No apply holds the empty name, under which applies without a lock wait.
        let is_free = |name: TypeLockName| {
            !taken_locks.contains(name) && self.locks.get(name).is_none_or(|lock| lock.holders.is_empty())
        };
        let has_room = |name: &str, batch: &PendingBatch| {
            self.applying.get(name).is_none_or(|applying| applying.len() < batch.at_most)
        };
        let complete = self.batches.iter().filter(|((name, ..), batch)| {
            self.gates.is_empty() && batch.lock.is_none_or(is_free) && has_room(name, batch)
        });
        let batch = complete.filter_map(|(key, batch)| Some((batch.first()?, key.clone()))).min();
        let alone = self.locks.iter().filter(|(name, _)| is_free(name));
        let alone = alone.filter_map(|(name, lock)| Some((*lock.waiting.keys().next()?, *name))).min();
        match (batch, alone) {
            (Some((first, key)), alone) if alone.is_none_or(|(other, _)| first < other) => {
                Some(Candidate::Batch(key))
            }
            (_, Some((index, name))) => Some(Candidate::Alone(index, name)),
            _ => None,
        }
    }

    fn lock_of_candidate(&self, candidate: &Candidate) -> Option<TypeLockName> {
        match candidate {
            Candidate::Batch(key) => self.batches.get(key).and_then(|batch| batch.lock),
            // An apply without a lock waits under an empty name.
            Candidate::Alone(_, name) => Some(*name).filter(|name| !name.is_empty()),
        }
    }

    /// Starts a candidate. `before` is the sequence number of a shared lock.
    fn start(&mut self, candidate: Candidate, before: Option<u64>) -> Option<ScheduledApply> {
        let (lock, members) = match candidate {
            Candidate::Batch(key) => {
                let batch = self.batches.get_mut(&key)?;
                let members = batch.take();
                self.applying.entry(key.0).or_default().extend(members.keys());
                (batch.lock, members)
            }
            Candidate::Alone(index, name) => {
                let pending = self.locks.get_mut(name)?.waiting.remove(&index)?;
                (Some(name), BTreeMap::from([(index, pending)]))
            }
        };
        let has_turned = members.keys().filter(|index| self.turned.remove(*index)).count() > 0;
        let mut freshness = if has_turned { Freshness::Stale } else { Freshness::Fresh };
        if let Some(name) = lock.filter(|name| !name.is_empty()) {
            let lock = self.locks.entry(name).or_default();
            let releases = before.unwrap_or(lock.releases);
            let is_stale = |index| lock.releases_before.get(index).is_some_and(|before| *before != releases);
            if members.keys().any(is_stale) {
                freshness = Freshness::Stale;
            }
            lock.holders.extend(members.keys());
        }
        Some(ScheduledApply { members: members.into_values().collect(), freshness, refused: None })
    }

    /// Returns the nodes whose wait for the lock of their type has not been reported.
    ///
    /// Nodes that wait for the rest of their batch are not included, because they wait for checks.
    pub(super) fn take_waiting(&mut self) -> Vec<(NodeIndex, Awaited)> {
        let Self { batches, locks, elsewhere, gates, turns, .. } = self;
        let mut waiting = Vec::new();
        for (name, lock) in locks.iter_mut().filter(|(_, lock)| !lock.unreported.is_empty()) {
            let Some(awaited) = awaited(name, lock, elsewhere) else { continue };
            let untold = mem::take(&mut lock.unreported)
                .into_iter()
                .filter(|index| lock.waiting.contains_key(index) || turns.holds(*index));
            waiting.extend(untold.map(|index| (index, awaited.clone())));
        }
        let complete = batches
            .values_mut()
            .filter(|batch| !batch.unreported.is_empty() && gates.is_empty() && batch.first().is_some());
        for batch in complete {
            let holders = batch.lock.and_then(|name| Some((name, locks.get(name)?)));
            let Some(awaited) = holders.and_then(|(name, lock)| awaited(name, lock, elsewhere)) else {
                continue;
            };
            let untold = mem::take(&mut batch.unreported)
                .into_iter()
                .filter(|index| batch.members.contains_key(index));
            waiting.extend(untold.map(|index| (index, awaited.clone())));
        }
        waiting.sort_by_key(|(index, _)| *index);
        waiting
    }

    /// Takes back all waiting applies.
    pub(super) fn drain(&mut self) -> Vec<PendingApply> {
        let batches = self.batches.values_mut().map(|batch| &mut batch.members);
        let alone = self.locks.values_mut().map(|lock| &mut lock.waiting);
        let mut pending = self.turns.drain();
        for waiting in batches.chain(alone) {
            pending.append(waiting);
        }
        pending.into_values().collect()
    }

    fn lock_of(&self, shared: &Shared, index: NodeIndex) -> Option<TypeLockName> {
        if self.has_work { shared.graph.node(index).resource.lock() } else { None }
    }
}

/// Returns the key of the batches that a node can join.
fn batch_key(node: &Node) -> Option<BatchKey> {
    let timeout = node.meta.as_ref().and_then(|meta| meta.timeout);
    node.resource.batches().then(|| (node.resource.name(), timeout, Arc::clone(node.environment())))
}

/// Returns the wait for a type lock, or `None` if the lock is free.
fn awaited(name: TypeLockName, lock: &TypeLock, elsewhere: &HashSet<TypeLockName>) -> Option<Awaited> {
    let held_by = match elsewhere.contains(name) {
        true => HeldBy::AnotherRun,
        // An apply without a lock waits under an empty name.
        false if lock.holders.is_empty() || name.is_empty() => return None,
        false => HeldBy::ThisRun,
    };
    Some(Awaited { lock: LockKind::Type, name: Some(name.to_owned()), held_by })
}
