//! What is in the file.

use std::ops::Bound;
use std::sync::Arc;

use redb::{ReadOnlyTable, ReadTransaction, ReadableTable, Table, TableDefinition, WriteTransaction};

use super::error::Failure;
use crate::identity::{Group, Kind, Uid};
use crate::resource::{Resource, Version};
use crate::storage::error::CommitError;
use crate::storage::key::Key;
use crate::storage::lease::Frozen;
use crate::storage::query::Query;
use crate::storage::record;
use crate::storage::transaction::{Change, Transaction};
use crate::storage::watch::WatchEvent;

/// The resources, by their keys.
const RESOURCES: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("resources");
/// The keys of what has an owner, by the uid of that.
const OWNED: TableDefinition<'_, (u128, &str), ()> = TableDefinition::new("owned");
const NUMBERS: TableDefinition<'_, &str, u64> = TableDefinition::new("numbers");

/// How all of this is written.
const FORMAT: &str = "format";
/// How many transactions there were.
const REVISION: &str = "revision";

/// The format that is written here. A change that a program of before would misread, or would lose when it writes a
/// resource again, is another format.
pub(super) const KNOWN_FORMAT: u64 = 1;

fn decode(key: &str, bytes: &[u8]) -> Result<Resource, Failure> {
    record::decode(bytes).map_err(|source| Failure::Record { key: key.to_owned(), source })
}

/// The uid of the owner.
fn owner(resource: &Resource) -> Option<u128> {
    resource.owner.as_ref().and_then(|owner| owner.uid).map(Uid::to_bits)
}

/// What was there at one moment.
pub(super) struct Snapshot(ReadTransaction);

impl Snapshot {
    pub(super) fn new(transaction: ReadTransaction) -> Self {
        Self(transaction)
    }

    /// The format of the file and the number of its transactions, `None` if it says no format.
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
        let mut found = Vec::new();
        let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        for entry in self.resources()?.range::<&str>(from)? {
            let (key, bytes) = entry?;
            if !key.value().starts_with(&prefix) {
                break;
            }
            let resource = decode(key.value(), bytes.value())?;
            if query.matches(&resource.id) {
                found.push(Arc::new(resource));
            }
        }
        Ok(found)
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
        let mut found = Vec::new();
        for entry in keys.range(range)? {
            let (entry, _) = entry?;
            let (_, key) = entry.value();
            if let Some(bytes) = resources.get(key)? {
                found.push(Arc::new(decode(key, bytes.value())?));
            }
        }
        Ok(found)
    }
}

/// What a transaction has made.
pub(super) struct Made {
    pub(super) revision: u64,
    pub(super) stored: Vec<Arc<Resource>>,
    pub(super) events: Vec<WatchEvent>,
}

/// What is there while it is changed.
pub(super) struct Tables<'t> {
    resources: Table<'t, &'static str, &'static [u8]>,
    owned: Table<'t, (u128, &'static str), ()>,
    numbers: Table<'t, &'static str, u64>,
}

impl<'t> Tables<'t> {
    pub(super) fn open(transaction: &'t WriteTransaction) -> Result<Self, Failure> {
        Ok(Self {
            resources: transaction.open_table(RESOURCES)?,
            owned: transaction.open_table(OWNED)?,
            numbers: transaction.open_table(NUMBERS)?,
        })
    }

    /// Makes an empty file a store.
    pub(super) fn begin(&mut self) -> Result<(), Failure> {
        self.numbers.insert(FORMAT, KNOWN_FORMAT)?;
        self.set_revision(0)
    }

    pub(super) fn set_revision(&mut self, revision: u64) -> Result<(), Failure> {
        self.numbers.insert(REVISION, revision)?;
        Ok(())
    }

    fn stored(&self, key: &Key) -> Result<Option<Resource>, Failure> {
        let stored = self.resources.get(key.as_str())?;
        stored.map(|bytes| decode(key.as_str(), bytes.value())).transpose()
    }

    /// Makes the changes of a transaction, all or none of them. The outer error is that of the file.
    pub(super) fn commit(
        &mut self,
        transaction: Transaction,
        leases: Option<&Frozen<'_>>,
        revision: u64,
    ) -> Result<Result<Made, CommitError>, Failure> {
        if let Some(fence) = transaction.fence
            && !leases.is_some_and(|leases| leases.is_held(&fence))
        {
            return Ok(Err(CommitError::Fenced { fence }));
        }
        for requirement in &transaction.requirements {
            let stored = self.stored(&Key::of(&requirement.id))?;
            if let Err(error) = requirement.check(stored.as_ref()) {
                return Ok(Err(error));
            }
        }
        let mut replaced = Vec::with_capacity(transaction.changes.len());
        for change in &transaction.changes {
            let key = Key::of(change.id());
            let stored = self.stored(&key)?;
            if let Err(error) = change.check(stored.as_ref()) {
                return Ok(Err(error));
            }
            replaced.push((key, stored));
        }
        let version = Version::from(revision);
        let mut made = Made { revision, stored: Vec::new(), events: Vec::with_capacity(replaced.len()) };
        for (change, (key, replaced)) in transaction.changes.into_iter().zip(replaced) {
            match change {
                Change::Put(resource) => {
                    let resource = Arc::new(Resource { version: Some(version.clone()), ..*resource });
                    self.put(&key, replaced.as_ref(), &resource)?;
                    made.events.push(WatchEvent::Upsert(Arc::clone(&resource)));
                    made.stored.push(resource);
                }
                Change::Delete { .. } => {
                    self.remove(&key, replaced.as_ref())?;
                    made.events.extend(replaced.map(|last| WatchEvent::Delete(Arc::new(last))));
                }
            }
        }
        Ok(Ok(made))
    }

    fn put(&mut self, key: &Key, before: Option<&Resource>, resource: &Resource) -> Result<(), Failure> {
        let (was, is) = (before.and_then(owner), owner(resource));
        if was != is {
            self.disown(key, was)?;
            if let Some(is) = is {
                self.owned.insert((is, key.as_str()), ())?;
            }
        }
        self.resources.insert(key.as_str(), &record::encode(resource)[..])?;
        Ok(())
    }

    fn remove(&mut self, key: &Key, before: Option<&Resource>) -> Result<(), Failure> {
        self.disown(key, before.and_then(owner))?;
        self.resources.remove(key.as_str())?;
        Ok(())
    }

    fn disown(&mut self, key: &Key, owner: Option<u128>) -> Result<(), Failure> {
        if let Some(owner) = owner {
            self.owned.remove((owner, key.as_str()))?;
        }
        Ok(())
    }
}
