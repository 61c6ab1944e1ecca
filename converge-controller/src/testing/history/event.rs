//! The recorded operations and events of a history.

use std::fmt;

use crate::debug_as_text;
use crate::storage::{Key, Query};

/// The unique number that a put stores as data.
pub(super) type Mark = u64;
/// A logical time: the number of operations that had begun or ended before.
pub(super) type Moment = u64;

/// A change in a transaction.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) key: Key,
    /// The state that the change replaces.
    pub(super) base: Option<Mark>,
    /// The state that the change creates; `None` for a deletion.
    pub(super) mark: Option<Mark>,
}

/// The outcome of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The transaction was acknowledged.
    Done,
    /// The transaction was refused.
    Refused,
    /// The outcome is unknown.
    Unknown,
}

/// A transaction.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) changes: Vec<Made>,
    /// The resources that must exist.
    pub(super) required: Vec<Key>,
    pub(super) outcome: Outcome,
    /// The states that the store returned.
    pub(super) stored: Vec<State>,
    pub(super) began: Moment,
    pub(super) ended: Moment,
}

/// A state that was read, or reported by a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) key: Key,
    pub(super) mark: Mark,
    pub(super) version: String,
}

/// A read of one resource, or of all resources that match a query.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// The number of the connection to the store.
    pub(super) door: usize,
    pub(super) strong: bool,
    pub(super) at: Target,
    pub(super) found: Vec<State>,
    pub(super) began: Moment,
    pub(super) ended: Moment,
}

/// The target of a read.
#[derive(Clone, Debug)]
pub(super) enum Target {
    One(Key),
    All(Query),
}

/// An event of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WatchedEvent {
    Upsert(State),
    Delete(State),
    EndOfSnapshot,
}

/// The record of a watch.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) door: usize,
    pub(super) query: Query,
    /// The events, with the times at which they were received.
    pub(super) told: Vec<(WatchedEvent, Moment)>,
    /// Whether the watch was closed before the end, which a store may do.
    pub(super) closed: bool,
}

/// The promises of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// An acknowledged transaction has happened.
    NothingIsLost,
    /// A change is reported only once.
    NothingIsDoubled,
    /// A transaction that was refused, or never requested, has not happened.
    NothingIsInvented,
    /// A change replaces the state that it names, and its requirements hold.
    ChangesFindWhatTheyName,
    /// A transaction happens completely.
    TransactionsAreWhole,
    /// A transaction that ended before another one began comes first.
    OrderIsKept,
    /// Each state has a unique version.
    VersionsTellStatesApart,
    /// A strong read finds the current state.
    StrongReadsAreNew,
    /// Eventual reads do not go back.
    EventualReadsDoNotGoBack,
    /// A list or a snapshot shows the state at one moment.
    SnapshotsAreOfOneMoment,
    /// A watch reports every change.
    WatchesHaveNoGap,
}

/// A violation of a promise.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{promise:?}: {detail}")]
pub struct Violation {
    /// The promise.
    pub promise: Promise,
    /// The details.
    pub detail: String,
}

debug_as_text!(Violation);

impl Violation {
    pub(super) fn new(promise: Promise, detail: impl Into<String>) -> Self {
        Self { promise, detail: detail.into() }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "state {} of {} (version {})", self.mark, self.key, self.version)
    }
}

impl fmt::Display for WatchedEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upsert(state) => write!(f, "upsert of {state}"),
            Self::Delete(state) => write!(f, "delete of {state}"),
            Self::EndOfSnapshot => f.write_str("end of the snapshot"),
        }
    }
}
