//! What the writer is asked for.

use tokio::sync::oneshot;

use super::answer::Answer;
use crate::storage::error::Unavailable;
use crate::storage::key::Key;
use crate::storage::lease::Fence;
use crate::storage::record::Unversioned;
use crate::storage::transaction::{Change, InvalidTransaction, Requirement, Transaction};

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

impl Prepared {
    /// How many bytes a resource has at most. A value of redb may have half as many again, and no other program reads a protobuf
    /// message of more.
    const MOST_BYTES: usize = (2 << 30) - 1;
}

impl TryFrom<Transaction> for Prepared {
    type Error = InvalidTransaction;

    /// What would be refused by the file fails here: there it would be with others in one commit, which would fail with it.
    fn try_from(transaction: Transaction) -> Result<Self, InvalidTransaction> {
        let prepare = |change: Change| {
            let bytes = match &change {
                Change::Put(resource) => {
                    let bytes = Unversioned::of_at_most(resource, Self::MOST_BYTES);
                    bytes.map_err(|bytes| InvalidTransaction::TooLarge {
                        id: Box::new(resource.id.clone()),
                        bytes,
                        most: Self::MOST_BYTES,
                    })?
                }
                Change::Delete { .. } => Unversioned::default(),
            };
            Ok(PreparedChange { key: Key::of(change.id()), change, bytes })
        };
        let changes = transaction.changes.into_iter().map(prepare).collect::<Result<_, _>>()?;
        Ok(Self { changes, requirements: transaction.requirements, fence: transaction.fence })
    }
}
