//! The tables in the file.

use std::ops::Bound;
use std::sync::Arc;

use prost::DecodeError;
use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::error::Failure;
use super::prepared_transaction::{Prepared, PreparedChange, What};
use crate::identity::{Group, Kind, Uid};
use crate::resource::{Resource, Version};
use crate::storage::check::{check_delete, check_put};
use crate::storage::error::CommitError;
use crate::storage::key::Key;
use crate::storage::lease::Frozen;
use crate::storage::query::Query;
use crate::storage::record::{self, VersionBytes};
use crate::storage::transaction::Requirement;

/// The resources, by key.
const RESOURCES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("resources");
/// The keys of owned resources, by the uid of the owner.
const OWNED: TableDefinition<'_, (u128, &str), ()> = TableDefinition::new("owned");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// The name of the format number.
const FORMAT: &str = "format";
/// The name of the transaction count.
const REVISION: &str = "revision";

/// The current format.
///
/// A change is a new format if older programs would misread it, or would lose it when they write a resource
/// again.
pub(super) const KNOWN_FORMAT: u64 = 1;

fn decode(key: &str, bytes: &[u8]) -> Result<Resource, Failure> {
    record::decode(bytes).map_err(|source| Failure::Record { key: key.to_owned(), source })
}

/// A consistent read of the file.
pub(super) struct Snapshot(ReadTransaction);

impl Snapshot {
    pub(super) fn new(transaction: ReadTransaction) -> Self {
        Self(transaction)
    }

    /// Returns the format of the file, or `None` if the file has none.
    pub(super) fn format(&self) -> Result<Option<u64>, Failure> {
        let numbers = match self.0.open_table(NUMBERS) {
            Ok(numbers) => numbers,
            Err(
                redb::TableError::TableDoesNotExist(_)
                | redb::TableError::TableTypeMismatch { .. }
                | redb::TableError::TableIsMultimap(_),
            ) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(numbers.get(FORMAT)?.map(|number| number.value()))
    }

    pub(super) fn revision(&self) -> Result<u64, Failure> {
        Ok(self.0.open_table(NUMBERS)?.get(REVISION)?.map_or(0, |number| number.value()))
    }

    fn resources(&self) -> Result<ReadOnlyTable<&'static str, &'static [u8]>, Failure> {
        Ok(self.0.open_table(RESOURCES)?)
    }

    pub(super) fn get(&self, key: &Key) -> Result<Option<Resource>, Failure> {
        let stored = self.resources()?.get(key.as_str())?;
        stored.map(|bytes| decode(key.as_str(), bytes.value())).transpose()
    }

    pub(super) fn matching(&self, query: &Query) -> Result<Vec<Arc<Resource>>, Failure> {
        let prefix = query.key_prefix();
        let mut resources = Vec::new();
        let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        for entry in self.resources()?.range::<&str>(from)? {
            let (key, bytes) = entry?;
            if !key.value().starts_with(&prefix) {
                break;
            }
            // Other resources need not be decoded.
            if query.matches_key(key.value()) {
                resources.push(Arc::new(decode(key.value(), bytes.value())?));
            }
        }
        Ok(resources)
    }

    pub(super) fn kinds(&self) -> Result<Vec<(Group, Kind)>, Failure> {
        let resources = self.resources()?;
        let (mut kinds, mut from) = (Vec::new(), String::new());
        while let Some(entry) = resources.range::<&str>(from.as_str()..)?.next()
            && let Some((group, kind, next)) = Key::kind_of(entry?.0.value())
        {
            kinds.push((group, kind));
            from = next;
        }
        Ok(kinds)
    }

    pub(super) fn owned(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Failure> {
        let (resources, keys) = (self.resources()?, self.0.open_table(OWNED)?);
        let from = (owner.to_bits(), "");
        let to = owner.to_bits().checked_add(1).map(|next| (next, ""));
        let range = (Bound::Included(from), to.map_or(Bound::Unbounded, Bound::Excluded));
        let mut children = Vec::new();
        for entry in keys.range(range)? {
            let (entry, _) = entry?;
            let (_, key) = entry.value();
            if let Some(bytes) = resources.get(key)? {
                children.push(Arc::new(decode(key, bytes.value())?));
            }
        }
        Ok(children)
    }
}

/// A transaction that was made, with its number.
pub(super) struct Made {
    pub(super) revision: u64,
    pub(super) transaction: Prepared,
}

/// The state that a change replaces.
struct Replaced {
    owner: Option<Uid>,
    /// The complete resource, if the change deletes it.
    last: Option<Arc<Resource>>,
}

/// The tables within a write transaction.
pub(super) struct Tables<'t> {
    resources: Table<'t, &'static str, &'static [u8]>,
    owned: Table<'t, (u128, &'static str), ()>,
    numbers: Table<'t, &'static str, u64>,
    /// A buffer for the bytes of a resource.
    together: Vec<u8>,
}

impl<'t> Tables<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, Failure> {
        Ok(Self {
            resources: transaction.open_table(RESOURCES)?,
            owned: transaction.open_table(OWNED)?,
            numbers: transaction.open_table(NUMBERS)?,
            together: Vec::new(),
        })
    }

    /// Initializes an empty file as a store.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        self.numbers.insert(FORMAT, KNOWN_FORMAT)?;
        self.set_revision(0)
    }

    pub(super) fn set_revision(&mut self, revision: u64) -> Result<(), Failure> {
        self.numbers.insert(REVISION, revision)?;
        Ok(())
    }

    /// Reads the value of a key with the function `read`.
    fn stored<T>(
        &self,
        key: &Key,
        read: impl FnOnce(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<Option<T>, Failure> {
        let stored = self.resources.get(key.as_str())?;
        let record_error = |source| Failure::Record { key: key.to_string(), source };
        stored.map(|bytes| read(bytes.value())).transpose().map_err(record_error)
    }

    /// Makes all changes of a transaction or none.
    ///
    /// The outer error is that of the file. A resource that cannot be decoded is found before anything is
    /// changed.
    pub(super) fn commit(
        &mut self,
        mut transaction: Prepared,
        leases: Option<&Frozen<'_>>,
        revision: u64,
    ) -> Result<Result<Made, CommitError>, Failure> {
        if let Some(fence) = &transaction.fence
            && !leases.is_some_and(|leases| leases.is_held(fence))
        {
            return Ok(Err(CommitError::Fenced { fence: fence.clone() }));
        }
        let replaced = match self.replaced(&transaction.requirements, &transaction.changes)? {
            Ok(replaced) => replaced,
            Err(refused) => return Ok(Err(refused)),
        };
        let version = Version::from(revision);
        let in_bytes = VersionBytes::encode(&version);
        for (PreparedChange { key, what }, replaced) in transaction.changes.iter_mut().zip(replaced) {
            match what {
                What::Put(resource, bytes) => {
                    self.own(key, replaced.owner, resource.owner.as_ref().and_then(|owner| owner.uid))?;
                    bytes.with(&in_bytes, &mut self.together);
                    self.resources.insert(key.as_str(), &self.together[..])?;
                    // The resource is not shared yet, so it is not copied.
                    Arc::make_mut(resource).version = Some(version.clone());
                }
                What::Delete { last, .. } => {
                    self.own(key, replaced.owner, None)?;
                    self.resources.remove(key.as_str())?;
                    *last = replaced.last;
                }
            }
        }
        Ok(Ok(Made { revision, transaction }))
    }

    /// Checks the stored state against the requirements and changes, and returns the states to be replaced.
    fn replaced(
        &self,
        requirements: &[Requirement],
        changes: &[PreparedChange],
    ) -> Result<Result<Vec<Replaced>, CommitError>, Failure> {
        for requirement in requirements {
            let stored = self.stored(&Key::from_id(&requirement.id), record::decode)?;
            if let Err(error) = requirement.check(stored.as_ref()) {
                return Ok(Err(error));
            }
        }
        let mut replaced = Vec::with_capacity(changes.len());
        for PreparedChange { key, what } in changes {
            let stored = self.stored(key, record::decode_head)?;
            let state = stored.as_ref().map(|stored| (stored.uid, stored.version.as_ref()));
            let checked = match what {
                What::Put(resource, _) => check_put(resource, state),
                What::Delete { id, version, .. } => check_delete(id, version, state),
            };
            if let Err(error) = checked {
                return Ok(Err(error));
            }
            let last = match what {
                What::Put(..) => None,
                What::Delete { .. } => self.stored(key, record::decode)?.map(Arc::new),
            };
            replaced.push(Replaced { owner: stored.and_then(|stored| stored.owner), last });
        }
        Ok(Ok(replaced))
    }

    /// Updates the owner entry of a resource.
    fn own(&mut self, key: &Key, old_owner: Option<Uid>, is: Option<Uid>) -> Result<(), Failure> {
        if old_owner == is {
            return Ok(());
        }
        if let Some(old_owner) = old_owner {
            self.owned.remove((old_owner.to_bits(), key.as_str()))?;
        }
        if let Some(is) = is {
            self.owned.insert((is.to_bits(), key.as_str()), ())?;
        }
        Ok(())
    }
}
