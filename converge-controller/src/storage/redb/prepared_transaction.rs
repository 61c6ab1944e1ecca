//! Transactions prepared for the writer.

use std::sync::Arc;

use crate::identity::Id;
use crate::resource::{Resource, Version};
use crate::storage::key::Key;
use crate::storage::lease::Fence;
use crate::storage::record::Unversioned;
use crate::storage::transaction::{Change, InvalidTransaction, Requirement, Transaction};
use crate::storage::watch::WatchEvent;

/// A transaction prepared for the writer.
///
/// The many callers do the preparation. They get the value back with the answer, so that they also free its
/// memory.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) changes: Vec<PreparedChange>,
    pub(super) requirements: Vec<Requirement>,
    pub(super) fence: Option<Fence>,
}

/// A change of the value of a key.
pub(super) struct PreparedChange {
    pub(super) key: Key,
    pub(super) what: What,
}

/// The kind of a change.
pub(super) enum What {
    /// Stores the resource, given with its encoding; the new version is added when it is written.
    Put(Arc<Resource>, Unversioned),
    Delete {
        id: Id,
        version: Version,
        /// The deleted state, known after the deletion.
        last: Option<Arc<Resource>>,
    },
}

impl Prepared {
    /// The maximum size of a resource in bytes.
    ///
    /// A redb value may be half as large again, but other programs do not read larger protobuf messages.
    const MOST_BYTES: usize = (2 << 30) - 1;

    /// Returns the events for watches after the commit.
    pub(super) fn events(&self) -> impl Iterator<Item = (&Id, WatchEvent)> {
        self.changes.iter().filter_map(|change| match &change.what {
            What::Put(resource, _) => Some((&resource.id, WatchEvent::Upsert(Arc::clone(resource)))),
            What::Delete { id, last, .. } => Some((id, WatchEvent::Delete(Arc::clone(last.as_ref()?)))),
        })
    }

    /// Returns the stored resources after the commit.
    pub(super) fn into_stored(self) -> Vec<Arc<Resource>> {
        let stored = self.changes.into_iter().filter_map(|change| match change.what {
            What::Put(resource, _) => Some(resource),
            What::Delete { .. } => None,
        });
        stored.collect()
    }
}

impl TryFrom<Transaction> for Prepared {
    type Error = InvalidTransaction;

    /// Prepares a transaction.
    ///
    /// A resource that the file would refuse fails here: in the shared commit it would make the other
    /// transactions fail too.
    fn try_from(transaction: Transaction) -> Result<Self, InvalidTransaction> {
        let prepare = |change: Change| {
            let key = Key::from_id(change.id());
            let operation = match change {
                Change::Put(resource) => {
                    let bytes = Unversioned::encode_limited(&resource, Self::MOST_BYTES);
                    let bytes = bytes.map_err(|bytes| InvalidTransaction::TooLarge {
                        id: Box::new(resource.id.clone()),
                        bytes,
                        most: Self::MOST_BYTES,
                    })?;
                    What::Put(Arc::new(*resource), bytes)
                }
                Change::Delete { id, version } => What::Delete { id, version, last: None },
            };
            Ok(PreparedChange { key, what: operation })
        };
        let changes = transaction.changes.into_iter().map(prepare).collect::<Result<_, _>>()?;
        Ok(Self { changes, requirements: transaction.requirements, fence: transaction.fence })
    }
}
