//! What the writer is asked for.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::resource::Resource;
use crate::storage::error::{CommitError, Unavailable};
use crate::storage::key::Key;
use crate::storage::lease::Fence;
use crate::storage::record::Unversioned;
use crate::storage::transaction::{Change, Requirement, Transaction};

pub(super) type Answer = oneshot::Sender<Result<Vec<Arc<Resource>>, CommitError>>;

/// What the writer is asked for.
pub(super) enum Request {
    Commit(Prepared, Answer),
    Compact(oneshot::Sender<Result<bool, Unavailable>>),
    /// Sees to it that the file is open.
    Reopen(oneshot::Sender<Result<(), Unavailable>>),
}

/// A transaction as the writer gets it: whatever can be done before is done by those who ask, who are many.
pub(super) struct Prepared {
    pub(super) changes: Vec<PreparedChange>,
    pub(super) requirements: Vec<Requirement>,
    pub(super) fence: Option<Fence>,
}

/// A change, and what it writes.
pub(super) struct PreparedChange {
    pub(super) key: Key,
    pub(super) change: Change,
    /// Nothing where a resource is removed.
    pub(super) bytes: Unversioned,
}

impl From<Transaction> for Prepared {
    fn from(transaction: Transaction) -> Self {
        let prepare = |change: Change| {
            let bytes = match &change {
                Change::Put(resource) => Unversioned::of(resource),
                Change::Delete { .. } => Unversioned::default(),
            };
            PreparedChange { key: Key::of(change.id()), change, bytes }
        };
        let changes = transaction.changes.into_iter().map(prepare).collect();
        Self { changes, requirements: transaction.requirements, fence: transaction.fence }
    }
}
