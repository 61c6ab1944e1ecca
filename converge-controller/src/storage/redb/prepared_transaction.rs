//! A transaction as the writer gets it.

use std::sync::Arc;

use crate::identity::Id;
use crate::resource::{Resource, Version};
use crate::storage::key::Key;
use crate::storage::lease::Fence;
use crate::storage::record::Unversioned;
use crate::storage::transaction::{Change, InvalidTransaction, Requirement, Transaction};
use crate::storage::watch::WatchEvent;

/// A transaction as the writer gets it: whatever can be done before is done by those who ask, who are many. They get it back
/// with their answer: to give its memory back is their work, too.
#[derive(Default)]
pub(super) struct Prepared {
    pub(super) changes: Vec<PreparedChange>,
    pub(super) requirements: Vec<Requirement>,
    pub(super) fence: Option<Fence>,
}

/// A change of what is under a key.
pub(super) struct PreparedChange {
    pub(super) key: Key,
    pub(super) what: What,
}

/// What a change does.
pub(super) enum What {
    /// The resource, which gets its new version when it is written, and all of its bytes but that.
    Put(Arc<Resource>, Unversioned),
    Delete {
        id: Id,
        version: Version,
        /// What it was. Known when it has been removed.
        last: Option<Arc<Resource>>,
    },
}

impl Prepared {
    /// How many bytes a resource has at most. A value of redb may have half as many again, and no other program reads a protobuf
    /// message of more.
    const MOST_BYTES: usize = (2 << 30) - 1;

    /// What those who watch are told once it is done.
    pub(super) fn events(&self) -> impl Iterator<Item = (&Id, WatchEvent)> {
        self.changes.iter().filter_map(|change| match &change.what {
            What::Put(resource, _) => Some((&resource.id, WatchEvent::Upsert(Arc::clone(resource)))),
            What::Delete { id, last, .. } => Some((id, WatchEvent::Delete(Arc::clone(last.as_ref()?)))),
        })
    }

    /// What is stored once it is done.
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

    /// What would be refused by the file fails here: there it would be with others in one commit, which would fail with it.
    fn try_from(transaction: Transaction) -> Result<Self, InvalidTransaction> {
        let prepare = |change: Change| {
            let key = Key::of(change.id());
            let what = match change {
                Change::Put(resource) => {
                    let bytes = Unversioned::of_at_most(&resource, Self::MOST_BYTES);
                    let bytes = bytes.map_err(|bytes| InvalidTransaction::TooLarge {
                        id: Box::new(resource.id.clone()),
                        bytes,
                        most: Self::MOST_BYTES,
                    })?;
                    What::Put(Arc::new(*resource), bytes)
                }
                Change::Delete { id, version } => What::Delete { id, version, last: None },
            };
            Ok(PreparedChange { key, what })
        };
        let changes = transaction.changes.into_iter().map(prepare).collect::<Result<_, _>>()?;
        Ok(Self { changes, requirements: transaction.requirements, fence: transaction.fence })
    }
}
