//! Schedules applies of the resource types that have a lock, or are applied in batches.
//!
//! What waits here has been checked, is owned by nobody else, and keeps no worker from its work. There is no deadlock: a
//! batch waits for checks only, and a lock for what is being applied, and neither of these waits for the scheduler. Who waits for its
//! [turn](super::turns) waits no longer when nothing else goes on.
//!
//! Who waits here is a value and no task that sleeps: it can be counted, taken back by an interrupt, and never be
//! forgotten. A batch begins when nothing of its type is on its way to it: a window of time would make batches depend
//! on the machine, and to wait for the whole graph would deadlock. Resources with different timeouts are in different
//! batches, as one future can be dropped only as a whole, and so are those with different variables. The lock of a type is held only from the apply to the check
//! behind it, as checks of a hundred packages at once are what makes a run quick; what a check found may be old then,
//! so it is repeated when another holder came in between, and only then.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::lock_waits::Awaited;
use super::ready_queue::ReadyQueue;
use super::turns::Turns;
use crate::engine::attempt_progress::Freshness;
use crate::engine::job::PendingApply;
use crate::engine::lock_wait::{HeldBy, LockKind};
use crate::engine::run_tables::Shared;
use crate::engine::shared_locks::{Answer, Refused, SharedLocks};
use crate::graph::{Environment, Node, NodeIndex, TurnList};
use crate::state::LockName;

#[derive(Default)]
pub(super) struct ApplyScheduler {
    /// Whether there is anything to schedule in this run.
    any: bool,
    batches: BTreeMap<BatchKey, PendingBatch>,
    locks: BTreeMap<TypeLockName, TypeLock>,
    /// The locks that another run had when they were asked for last.
    elsewhere: HashSet<TypeLockName>,
    /// Parts of the structure that are ready: what they decide may make others ready, which then come along.
    gates: HashSet<NodeIndex>,
    turns: Turns,
}

/// Nodes that may change the machine now.
pub(super) struct ScheduledApply {
    /// In the order of their ids.
    pub(super) members: Vec<PendingApply>,
    pub(super) freshness: Freshness,
    /// Why they cannot be applied.
    pub(super) refused: Option<Refused>,
}

/// What can be applied together: nodes of one type with one timeout, which is then that of the batch, and the same variables.
type BatchKey = (&'static str, Option<Duration>, Arc<Environment>);

/// The name of the lock of some resource types.
type TypeLockName = &'static str;

/// What may be applied next.
#[derive(Clone)]
enum Candidate {
    Batch(BatchKey),
    Alone(NodeIndex, TypeLockName),
}

/// The next batch of one key.
struct PendingBatch {
    lock: Option<TypeLockName>,
    at_most: usize,
    /// Nodes that are ready, and may turn out to belong to it.
    unchecked: HashSet<NodeIndex>,
    members: BTreeMap<NodeIndex, PendingApply>,
    /// Those of which nobody was told that they wait for the lock, if they do.
    untold: Vec<NodeIndex>,
}

impl PendingBatch {
    /// Of the type of a node.
    fn of(node: &Node) -> Self {
        let at_most = node.resource.batch().map_or(usize::MAX, |batch| batch.at_most.max(1));
        let lock = node.resource.lock();
        Self { lock, at_most, unchecked: HashSet::new(), members: BTreeMap::new(), untold: Vec::new() }
    }

    /// Its first member, when all are there.
    fn first(&self) -> Option<NodeIndex> {
        self.members.keys().next().copied().filter(|_| self.unchecked.is_empty())
    }

    /// As many as one call applies. The others are complete all the same.
    fn take(&mut self) -> BTreeMap<NodeIndex, PendingApply> {
        let rest = self.members.keys().nth(self.at_most).copied();
        let rest = rest.map(|rest| self.members.split_off(&rest)).unwrap_or_default();
        mem::replace(&mut self.members, rest)
    }
}

#[derive(Default)]
struct TypeLock {
    /// The members of one apply.
    holders: HashSet<NodeIndex>,
    /// How often it was released; of a shared one, by all runs.
    releases: u64,
    /// How often that was before the check of a node began.
    releases_before: HashMap<NodeIndex, u64>,
    /// Nodes that are applied alone.
    waiting: BTreeMap<NodeIndex, PendingApply>,
    /// Those of which nobody was told that they wait.
    untold: Vec<NodeIndex>,
}

impl ApplyScheduler {
    pub(super) fn new(shared: &Shared) -> Self {
        let any = shared.graph.declared().any(|node| shared.schedules(node));
        let turns = if any { Turns::new(shared) } else { Turns::default() };
        Self { any, turns, ..Self::default() }
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
            let batch = self.batches.entry(key).or_insert_with(|| PendingBatch::of(node));
            batch.unchecked.insert(index);
        }
    }

    /// The work on a node is about to begin.
    pub(super) fn begins(&mut self, shared: &Shared, others: &mut SharedLocks, index: NodeIndex) {
        if let Some(name) = self.lock_of(shared, index) {
            let lock = self.locks.entry(name).or_default();
            let releases = others.sequence(&LockName::Type(name)).unwrap_or(lock.releases);
            lock.releases_before.insert(index, releases);
        }
    }

    /// A node is neither applied nor about to be: it has ended, waits for its group, or is tried again later.
    pub(super) fn release(&mut self, shared: &Shared, index: NodeIndex) {
        if !self.any {
            return;
        }
        self.gates.remove(&index);
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

    pub(super) fn add(&mut self, shared: &Shared, pending: PendingApply) {
        let index = pending.job.index;
        let node = shared.graph.node(index);
        let batch =
            batch_key(node).map(|key| self.batches.entry(key).or_insert_with(|| PendingBatch::of(node)));
        if let Some(batch) = batch {
            batch.unchecked.remove(&index);
            if pending.change.fits_a_batch() {
                batch.members.insert(index, pending);
                batch.untold.push(index);
                return;
            }
        }
        self.lock(node).untold.push(index);
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

    /// A node has ended: it may be the turn of others.
    pub(super) fn ended(&mut self, shared: &Shared, ready: &ReadyQueue, index: NodeIndex) {
        for pending in self.turns.ended(shared, ready, index) {
            self.wait(shared, pending);
        }
    }

    /// The instances of an end are part of the run.
    pub(super) fn added(
        &mut self,
        shared: &Shared,
        end: NodeIndex,
        instances: &[NodeIndex],
        turns: Vec<TurnList>,
    ) {
        if self.any {
            self.turns.added(shared, end, instances, turns);
        }
    }

    /// Nothing goes on but what waits for its turn. Whether there is any of that, which then waits no longer.
    pub(super) fn let_go(&mut self, shared: &Shared, is_wanted: impl Fn(NodeIndex) -> bool) -> bool {
        let Some(pending) = self.turns.let_go(is_wanted) else { return false };
        self.wait(shared, pending);
        true
    }

    /// The smallest node that can be applied, and those that are applied with it.
    pub(super) fn next(&mut self, shared: &Shared, others: &mut SharedLocks) -> Option<ScheduledApply> {
        if !self.any {
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

    fn candidate(&self, taken: &HashSet<TypeLockName>) -> Option<Candidate> {
        let free = |name: TypeLockName| {
            !taken.contains(name) && self.locks.get(name).is_none_or(|lock| lock.holders.is_empty())
        };
        let complete =
            self.batches.iter().filter(|(_, batch)| self.gates.is_empty() && batch.lock.is_none_or(free));
        let batch = complete.filter_map(|(key, batch)| Some((batch.first()?, key.clone()))).min();
        let alone = self.locks.iter().filter(|(name, _)| free(name));
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
            // What is applied alone and has no lock waits under no name.
            Candidate::Alone(_, name) => Some(*name).filter(|name| !name.is_empty()),
        }
    }

    /// `before` is the sequence number of a shared lock.
    fn start(&mut self, candidate: Candidate, before: Option<u64>) -> Option<ScheduledApply> {
        let (lock, members) = match candidate {
            Candidate::Batch(key) => {
                let batch = self.batches.get_mut(&key)?;
                (batch.lock, batch.take())
            }
            Candidate::Alone(index, name) => {
                let pending = self.locks.get_mut(name)?.waiting.remove(&index)?;
                (Some(name), BTreeMap::from([(index, pending)]))
            }
        };
        let mut freshness = Freshness::Fresh;
        if let Some(name) = lock {
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

    /// Those of which it is news that they wait for the lock of their type. One that waits for the rest of its batch is not among them:
    /// that is a matter of checks.
    pub(super) fn take_waiting(&mut self) -> Vec<(NodeIndex, Awaited)> {
        let Self { batches, locks, elsewhere, gates, turns, .. } = self;
        let mut waiting = Vec::new();
        for (name, lock) in locks.iter_mut().filter(|(_, lock)| !lock.untold.is_empty()) {
            let Some(awaited) = awaited(name, lock, elsewhere) else { continue };
            let untold = mem::take(&mut lock.untold)
                .into_iter()
                .filter(|index| lock.waiting.contains_key(index) || turns.holds(*index));
            waiting.extend(untold.map(|index| (index, awaited.clone())));
        }
        let complete = batches
            .values_mut()
            .filter(|batch| !batch.untold.is_empty() && gates.is_empty() && batch.first().is_some());
        for batch in complete {
            let holders = batch.lock.and_then(|name| Some((name, locks.get(name)?)));
            let Some(awaited) = holders.and_then(|(name, lock)| awaited(name, lock, elsewhere)) else {
                continue;
            };
            let untold =
                mem::take(&mut batch.untold).into_iter().filter(|index| batch.members.contains_key(index));
            waiting.extend(untold.map(|index| (index, awaited.clone())));
        }
        waiting.sort_by_key(|(index, _)| *index);
        waiting
    }

    /// Takes back all that wait.
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
        if self.any { shared.graph.node(index).resource.lock() } else { None }
    }
}

/// What a node can be applied together with.
fn batch_key(node: &Node) -> Option<BatchKey> {
    let timeout = node.meta.as_ref().and_then(|meta| meta.timeout);
    node.resource.batches().then(|| (node.resource.name(), timeout, Arc::clone(node.environment())))
}

/// What is waited for by those that want the lock of a type, when it is not free.
fn awaited(name: TypeLockName, lock: &TypeLock, elsewhere: &HashSet<TypeLockName>) -> Option<Awaited> {
    let held_by = match elsewhere.contains(name) {
        true => HeldBy::AnotherRun,
        // What is applied alone and has no lock waits under no name.
        false if lock.holders.is_empty() || name.is_empty() => return None,
        false => HeldBy::ThisRun,
    };
    Some(Awaited { lock: LockKind::Type, name: Some(name.to_owned()), held_by })
}
