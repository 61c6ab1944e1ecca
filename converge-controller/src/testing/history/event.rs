//! What was done and what was told.

use std::fmt;

use crate::storage::{Key, Query};

/// What a put says, which no other put says.
pub(super) type Mark = u64;
/// A moment: how many things had begun or ended before.
pub(super) type Moment = u64;

/// One change of a transaction.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) key: Key,
    /// The state that it says it replaces.
    pub(super) base: Option<Mark>,
    /// The state that it makes; a deletion makes none.
    pub(super) mark: Option<Mark>,
}

/// What came of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It was acknowledged.
    Done,
    /// It was refused.
    Refused,
    /// The store did not say.
    Unknown,
}

/// A transaction.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    pub(super) changes: Vec<Made>,
    /// What has to be there.
    pub(super) required: Vec<Key>,
    pub(super) outcome: Outcome,
    /// What the store gave back.
    pub(super) stored: Vec<State>,
    pub(super) began: Moment,
    pub(super) ended: Moment,
}

/// A state that was read or told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) key: Key,
    pub(super) mark: Mark,
    pub(super) version: String,
}

/// A read of one resource, or of all that a query means.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// By which way to the store.
    pub(super) door: usize,
    pub(super) strong: bool,
    pub(super) at: At,
    pub(super) found: Vec<State>,
    pub(super) began: Moment,
    pub(super) ended: Moment,
}

/// What was read.
#[derive(Clone, Debug)]
pub(super) enum At {
    One(Key),
    All(Query),
}

/// What a watch told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Upsert(State),
    Delete(State),
    EndOfSnapshot,
}

/// A watch, from its begin on.
#[derive(Clone, Debug)]
pub(super) struct Watched {
    pub(super) door: usize,
    pub(super) query: Query,
    /// What it told, and when that was received.
    pub(super) told: Vec<(Told, Moment)>,
    /// It was closed before it came to the end, which a store may do.
    pub(super) closed: bool,
}

/// A promise of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// What was acknowledged has happened.
    NothingIsLost,
    /// What happened once is told once.
    NothingIsDoubled,
    /// What was refused, or was never asked for, has not happened.
    NothingIsInvented,
    /// A change replaces the state that it names, and finds what it relies on.
    ChangesFindWhatTheyName,
    /// A transaction happens as a whole.
    TransactionsAreWhole,
    /// What ended before another began comes before it.
    OrderIsKept,
    /// Each state has a version of its own.
    VersionsTellStatesApart,
    /// A strong read finds what is there.
    StrongReadsAreNew,
    /// An eventual read does not go back.
    EventualReadsDoNotGoBack,
    /// A list or a snapshot is what was there at one moment.
    SnapshotsAreOfOneMoment,
    /// A watch tells every change.
    WatchesHaveNoGap,
}

/// A store broke a promise.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{promise:?}: {detail}")]
pub struct Violation {
    /// Which.
    pub promise: Promise,
    /// How.
    pub detail: String,
}

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

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upsert(state) => write!(f, "upsert of {state}"),
            Self::Delete(state) => write!(f, "delete of {state}"),
            Self::EndOfSnapshot => f.write_str("end of the snapshot"),
        }
    }
}
