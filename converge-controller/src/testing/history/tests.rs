//! Tests of the check, with a correct store and with stores that each break one promise.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures_util::StreamExt as _;

use super::{Promise, Workload, record};
use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::{Resource, Version};
use crate::storage::{
    Backend, Change, CommitError, Consistency, Lease, LeaseName, Memory, Query, ReadError, Transaction,
    Unavailable, Watch, WatchEvent,
};
use crate::testing::StoreUnderTest;

/// A fault that a store has occasionally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Acknowledges a write without making it.
    LosesAWrite,
    /// Makes a write that it refuses.
    DoesWhatItRefuses,
    /// Makes only a part of a transaction.
    TearsATransaction,
    /// Replaces any version.
    IgnoresVersions,
    /// Ignores requirements.
    IgnoresRequirements,
    /// Reports an event twice.
    DoublesAnEvent,
    /// Leaves out an event.
    SkipsAnEvent,
    /// Reports an event after the next one.
    SwapsEvents,
    /// Ends the snapshot twice.
    EndsTwice,
    /// Leaves a resource out of a snapshot.
    ForgetsInASnapshot,
    /// Returns an old state from a strong read.
    ReadsOldStrongly,
    /// Returns a state from an eventual read that is older than an earlier one.
    GoesBack,
    /// Lists states of different moments.
    ListsTorn,
    /// Reuses an old version for a new state.
    RepeatsAVersion,
}

/// A store with a fault.
struct Faulty {
    store: Memory,
    fault: Fault,
    calls: AtomicU64,
    /// The first seen state of each resource.
    old: Mutex<HashMap<Id, Arc<Resource>>>,
}

impl Faulty {
    fn new(fault: Fault) -> Self {
        Self { store: Memory::new(), fault, calls: AtomicU64::new(1), old: Mutex::default() }
    }

    /// Returns whether the fault happens now. It is rare, so that the check has to be thorough.
    fn strikes(&self, fault: Fault) -> bool {
        self.fault == fault && self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(40)
    }

    fn first_seen(&self, id: &Id, resource: &Arc<Resource>) -> Arc<Resource> {
        let mut old = self.old.lock().unwrap();
        Arc::clone(old.entry(id.clone().without_uid()).or_insert_with(|| Arc::clone(resource)))
    }

    /// Modifies a transaction so that it succeeds.
    async fn forced(&self, mut transaction: Transaction) -> Transaction {
        for change in &mut transaction.changes {
            let Ok(stored) = self.store.read(&change.id().clone().without_uid(), Consistency::Strong).await
            else {
                continue;
            };
            match change {
                Change::Put(put) => {
                    put.id.uid = stored.id.uid;
                    put.version.clone_from(&stored.version);
                }
                Change::Delete { id, version } => {
                    *id = stored.id.clone();
                    *version = stored.version.clone().unwrap();
                }
            }
        }
        transaction
    }
}

#[async_trait]
impl Backend for Faulty {
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError> {
        let read = self.store.read(id, consistency).await?;
        let first = self.first_seen(id, &read);
        let fault = match consistency {
            Consistency::Strong => Fault::ReadsOldStrongly,
            Consistency::Eventual => Fault::GoesBack,
        };
        Ok(if self.strikes(fault) { first } else { read })
    }

    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        let mut listed = self.store.list(query, consistency).await?;
        if self.fault == Fault::ListsTorn && listed.len() > 1 {
            // The first resource has the state after the others were read.
            tokio::task::yield_now().await;
            if let Ok(newer) = self.store.read(&listed[0].id.clone().without_uid(), consistency).await {
                listed[0] = newer;
            }
        }
        Ok(listed)
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.store.list_by_owner(owner).await
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        self.store.kinds().await
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        let watch = self.store.watch(query).await?;
        // The first watch is the witness, which sees everything.
        if self.calls.fetch_add(1, Ordering::Relaxed) == 1 {
            return Ok(watch);
        }
        let (fault, mut count, mut held_event) = (self.fault, 0, None);
        Ok(Watch::new(watch.flat_map(move |event| {
            let mut events = vec![event];
            let change = matches!(events[0], Ok(WatchEvent::Upsert(_) | WatchEvent::Delete(_)));
            count += u64::from(change);
            match fault {
                Fault::EndsTwice if matches!(events[0], Ok(WatchEvent::EndOfSnapshot)) => {
                    events.push(events[0].clone());
                }
                Fault::DoublesAnEvent if change && count % 30 == 0 => events.push(events[0].clone()),
                Fault::SkipsAnEvent if change && count % 30 == 0 => events.clear(),
                Fault::SwapsEvents if change && count % 30 == 0 => held_event = events.pop(),
                Fault::SwapsEvents => events.extend(held_event.take()),
                Fault::ForgetsInASnapshot if change && count == 1 => events.clear(),
                _ => {}
            }
            futures_util::stream::iter(events)
        })))
    }

    async fn commit(&self, mut transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        if self.strikes(Fault::LosesAWrite) {
            let put_resources = transaction.changes.into_iter().filter_map(|change| match change {
                Change::Put(put) => {
                    let version = Some(Version::from(1_000_000 + self.calls.fetch_add(1, Ordering::Relaxed)));
                    Some(Arc::new(Resource { version, ..*put }))
                }
                Change::Delete { .. } => None,
            });
            return Ok(put_resources.collect());
        }
        if self.fault == Fault::TearsATransaction && transaction.changes.len() > 1 {
            let second = transaction.changes.split_off(1);
            let mut stored = self.store.commit(transaction).await?;
            let rest = Transaction { changes: second, ..Transaction::default() };
            stored.extend(self.store.commit(rest).await.unwrap_or_default());
            return Ok(stored);
        }
        if self.fault == Fault::IgnoresRequirements {
            transaction.requirements.clear();
        }
        let result = self.store.commit(transaction.clone()).await;
        if result.is_err() && matches!(self.fault, Fault::IgnoresVersions | Fault::DoesWhatItRefuses) {
            let forced = self.store.commit(self.forced(transaction).await).await;
            return if self.fault == Fault::IgnoresVersions { forced } else { result };
        }
        let mut stored = result?;
        for resource in &mut stored {
            let first = self.first_seen(&resource.id, resource);
            if self.strikes(Fault::RepeatsAVersion) {
                *resource = Arc::new(Resource { version: first.version.clone(), ..(**resource).clone() });
            }
        }
        Ok(stored)
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        self.store.lease(name)
    }
}

/// Checks that a fault is reported as a violation of one of these promises.
async fn check(fault: Fault, expect: &[Promise]) {
    // The order of operations varies, so a single run may not be affected by the fault.
    let mut history = None;
    for seed in 0..20 {
        let store = StoreUnderTest::new(Faulty::new(fault));
        let recorded = record(&store, &Workload::from_seed(seed)).await;
        history = Some(recorded.check());
        if let Some(Err(violation)) = &history {
            assert!(expect.contains(&violation.promise), "{fault:?} was taken for {violation}");
            return;
        }
    }
    panic!("{fault:?} was not found: {history:?}");
}

macro_rules! faults {
    ($($name:ident: $fault:ident => $($promise:ident)|+;)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $name() {
            check(Fault::$fault, &[$(Promise::$promise),+]).await;
        }
    )*};
}

faults! {
    a_lost_write_is_found: LosesAWrite => NothingIsLost;
    a_refused_write_is_found: DoesWhatItRefuses => NothingIsInvented;
    half_a_transaction_is_found: TearsATransaction => TransactionsAreWhole | NothingIsLost | SnapshotsAreOfOneMoment;
    an_ignored_version_is_found: IgnoresVersions => ChangesFindWhatTheyName | NothingIsInvented | NothingIsLost;
    an_ignored_requirement_is_found: IgnoresRequirements => ChangesFindWhatTheyName;
    a_doubled_event_is_found: DoublesAnEvent => WatchesHaveNoGap | SnapshotsAreOfOneMoment;
    a_skipped_event_is_found: SkipsAnEvent => WatchesHaveNoGap | SnapshotsAreOfOneMoment;
    swapped_events_are_found: SwapsEvents => WatchesHaveNoGap | SnapshotsAreOfOneMoment;
    a_second_end_is_found: EndsTwice => WatchesHaveNoGap;
    a_hole_in_a_snapshot_is_found: ForgetsInASnapshot => SnapshotsAreOfOneMoment | WatchesHaveNoGap;
    an_old_strong_read_is_found: ReadsOldStrongly => StrongReadsAreNew;
    a_read_that_goes_back_is_found: GoesBack => EventualReadsDoNotGoBack;
    a_torn_list_is_found: ListsTorn => SnapshotsAreOfOneMoment;
    a_repeated_version_is_found: RepeatsAVersion => VersionsTellStatesApart;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_store_that_keeps_its_promises_passes() {
    for seed in 0..3 {
        let history = record(&StoreUnderTest::new(Memory::new()), &Workload::from_seed(seed)).await;
        history.check().unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
        let (attempts, successes) = history.transactions();
        assert!(
            successes > attempts / 4 && successes < attempts,
            "{successes} of {attempts} transactions succeeded"
        );
    }
}
