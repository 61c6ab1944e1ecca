//! Metrics of the store by operation and outcome.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use converge_controller::storage::Fence;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

use super::count::{Clock, Counted, Counters, Gauge, Histogram, Label};
use super::text::{Family, Kind, Text};

const OPERATIONS: Family = Family {
    name: "converge_store_operations",
    kind: Kind::Counter,
    help: "How many operations of the store have ended, by what came of them.",
};
const SECONDS: Family = Family {
    name: "converge_store_operation_seconds",
    kind: Kind::Histogram,
    help: "How long operations of the store take; a watch until it begins to tell.",
};
const IN_FLIGHT: Family = Family {
    name: "converge_store_operations_in_flight",
    kind: Kind::Gauge,
    help: "How many operations of the store have begun and not ended.",
};
const WATCHES: Family = Family {
    name: "converge_store_watches",
    kind: Kind::Gauge,
    help: "How many watches of the store are open: those of clients and those of the server itself.",
};
const LEASES: Family = Family {
    name: "converge_store_leases_held",
    kind: Kind::Gauge,
    help: "How many leases this server holds, one for each controller that it runs alone.",
};
const FILE: Family = Family {
    name: "converge_store_file_bytes",
    kind: Kind::Gauge,
    help: "How large the file of the store is, where it is in a folder.",
};
const FREE: Family = Family {
    name: "converge_store_free_bytes",
    kind: Kind::Gauge,
    help: "How much space there is left where the file of the store is.",
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    /// Read one resource.
    Read,
    /// Commit a transaction.
    Write,
    /// List resources or kinds.
    List,
    /// Start a watch.
    Watch,
}

impl Label for Operation {
    const ALL: &'static [Self] = &[Self::Read, Self::Write, Self::List, Self::Watch];

    fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::List => "list",
            Self::Watch => "watch",
        }
    }
}

/// The outcome of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Success, which includes that a resource does not exist.
    Ok,
    /// The stored resources differ from those that the transaction replaces or relies on.
    Conflict,
    /// The store does not answer correctly.
    Unavailable,
    /// Refused for another reason, such as a lease that another server holds now.
    Other,
    /// The caller did not wait for the end.
    Abandoned,
}

impl Label for Outcome {
    const ALL: &'static [Self] = &[Self::Ok, Self::Conflict, Self::Unavailable, Self::Other, Self::Abandoned];

    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Conflict => "conflict",
            Self::Unavailable => "unavailable",
            Self::Other => "other",
            Self::Abandoned => "abandoned",
        }
    }
}

/// The counts of one operation.
#[derive(Debug, Default)]
struct Counts {
    outcomes: Counters<Outcome>,
    times: Histogram,
    in_flight: Gauge,
}

#[derive(Debug, Default)]
pub(crate) struct StoreCounts {
    read: Counts,
    write: Counts,
    list: Counts,
    watch: Counts,
    watches: Gauge,
    leases: Arc<Leases>,
}

/// An operation in progress.
///
/// It counts as abandoned if this is dropped before it [ends](Self::end).
#[derive(Debug)]
pub(super) struct Ongoing<'a> {
    counts: &'a Counts,
    began: Clock,
    outcome: Outcome,
    _in_flight: Counted,
}

impl Ongoing<'_> {
    pub(super) fn end(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Ongoing<'_> {
    fn drop(&mut self) {
        self.counts.outcomes.counter(self.outcome).count();
        self.counts.times.add(self.began.elapsed());
    }
}

/// The candidates for leases, each of which may hold one.
#[derive(Debug, Default)]
struct Leases {
    candidates: Mutex<BTreeMap<u64, watch::Receiver<Option<Fence>>>>,
    next: AtomicU64,
}

/// A candidate, which is counted while it holds its lease, until this is dropped.
#[derive(Debug)]
pub(super) struct Candidate {
    leases: Arc<Leases>,
    number: u64,
}

impl Drop for Candidate {
    fn drop(&mut self) {
        self.leases.candidates.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.number);
    }
}

impl StoreCounts {
    pub(super) fn begin(&self, operation: Operation) -> Ongoing<'_> {
        let counts = self.counts_for(operation);
        let outcome = Outcome::Abandoned;
        Ongoing { counts, began: Clock::start(), outcome, _in_flight: counts.in_flight.hold() }
    }

    /// Counts an open watch until the result is dropped.
    pub(super) fn open_watch(&self) -> Counted {
        self.watches.hold()
    }

    /// Registers a candidate for a lease, with a channel that tells whether it holds the lease.
    pub(super) fn add_candidate(&self, fence: watch::Receiver<Option<Fence>>) -> Candidate {
        let number = self.leases.next.fetch_add(1, Ordering::Relaxed);
        self.leases.candidates.lock().unwrap_or_else(PoisonError::into_inner).insert(number, fence);
        Candidate { leases: Arc::clone(&self.leases), number }
    }

    fn counts_for(&self, operation: Operation) -> &Counts {
        match operation {
            Operation::Read => &self.read,
            Operation::Write => &self.write,
            Operation::List => &self.list,
            Operation::Watch => &self.watch,
        }
    }

    fn leases_held(&self) -> usize {
        let candidates = self.leases.candidates.lock().unwrap_or_else(PoisonError::into_inner);
        candidates.values().filter(|fence| fence.borrow().is_some()).count()
    }

    pub(super) fn write(&self, text: &mut Text) {
        let operations =
            || Operation::ALL.iter().map(|operation| (operation.word(), self.counts_for(*operation)));
        let mut samples = text.family(&OPERATIONS);
        for (operation, counts) in operations() {
            for (outcome, count) in counts.outcomes.each() {
                samples.value(&[("operation", operation), ("outcome", outcome)], count);
            }
        }
        let mut samples = text.family(&SECONDS);
        for (operation, counts) in operations() {
            samples.histogram(&[("operation", operation)], &counts.times);
        }
        let mut samples = text.family(&IN_FLIGHT);
        for (operation, counts) in operations() {
            samples.value(&[("operation", operation)], counts.in_flight.value());
        }
        text.family(&WATCHES).value(&[], self.watches.value());
        text.family(&LEASES).value(&[], self.leases_held());
    }
}

/// The size of a file, and the free space of its file system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    file: Option<u64>,
    free: Option<u64>,
}

impl Space {
    /// Queries the file system.
    ///
    /// Values that it does not provide are omitted.
    pub(super) async fn query(file: PathBuf) -> Self {
        let result = spawn_blocking(move || Self::ask(&file));
        result.await.unwrap_or(Self { file: None, free: None })
    }

    fn ask(file: &Path) -> Self {
        let size = rustix::fs::stat(file).ok().and_then(|stat| u64::try_from(stat.st_size).ok());
        let system = rustix::fs::statvfs(file).ok();
        let free_bytes = system.map(|system| system.f_bavail.saturating_mul(system.f_frsize));
        Self { file: size, free: free_bytes }
    }

    pub(super) fn write(self, text: &mut Text) {
        for (family, value) in [(&FILE, self.file), (&FREE, self.free)] {
            if let Some(value) = value {
                text.family(family).value(&[], value);
            }
        }
    }
}
