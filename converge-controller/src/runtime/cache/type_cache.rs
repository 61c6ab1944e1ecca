//! The cached resources of one type.

use std::any::TypeId;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::super::panic::contained_now;
use crate::registry::{StoredResource, Typed};
use crate::resource::Resource;

use super::error::NotIndexed;
use super::index::AnyIndex;
use super::key::Key;
use super::table::Table;

/// The cached resources of one type.
pub(super) struct TypeCache {
    indexer: Arc<dyn Indexer>,
    table: RwLock<Table>,
}

impl TypeCache {
    pub(super) fn new(indexer: Arc<dyn Indexer>) -> Self {
        let table = RwLock::new(Table::new(indexer.len()));
        Self { indexer, table }
    }

    pub(super) fn upsert(&self, resource: Arc<Resource>) -> (Option<Arc<Resource>>, Option<NotIndexed>) {
        let (keys, problem) = self.indexer.keys(&resource);
        (self.write().insert(resource, keys), problem)
    }

    pub(super) fn remove(&self, id: &Key) -> Option<Arc<Resource>> {
        self.write().remove(id)
    }

    /// Replaces everything by a snapshot atomically, and returns the earlier content.
    pub(super) fn replace(&self, snapshot: &[Arc<Resource>]) -> (Table, Vec<NotIndexed>) {
        let mut table = Table::new(self.indexer.len());
        let mut problems = Vec::new();
        for resource in snapshot {
            let (keys, problem) = self.indexer.keys(resource);
            problems.extend(problem);
            table.insert(Arc::clone(resource), keys);
        }
        (std::mem::replace(&mut self.write(), table), problems)
    }

    pub(super) fn read(&self) -> RwLockReadGuard<'_, Table> {
        // A poisoned lock is fine: all keys are computed before a change begins, so a table never panics
        // within one.
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Table> {
        self.table.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of an index.
    pub(super) fn index(&self, name: &str, sorted_by: TypeId) -> Option<usize> {
        self.indexer.index(name, sorted_by)
    }
}

/// Computes the index keys of the resources of a type.
pub(super) trait Indexer: Send + Sync {
    fn len(&self) -> usize;

    fn index(&self, name: &str, sorted_by: TypeId) -> Option<usize>;

    /// Returns the keys of a resource in each index, and the reason if it is missing from a required one.
    fn keys(&self, resource: &Resource) -> (Vec<BTreeSet<Key>>, Option<NotIndexed>);
}

/// The indexes of a `T`.
pub(super) struct Indexes<T>(pub(super) Vec<Arc<dyn AnyIndex<T>>>);

impl<T: StoredResource> Indexer for Indexes<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn index(&self, name: &str, sorted_by: TypeId) -> Option<usize> {
        self.0.iter().position(|index| index.name() == name && index.sorted_by() == sorted_by)
    }

    fn keys(&self, resource: &Resource) -> (Vec<BTreeSet<Key>>, Option<NotIndexed>) {
        let reads_data = self.0.iter().any(|index| index.reads_data());
        let decoded = reads_data.then(|| Typed::<T>::decode(resource.clone())).transpose();
        let (decoded, mut problem) = match decoded {
            Ok(decoded) => (decoded, None),
            Err(error) => (None, Some(NotIndexed::Data(error))),
        };
        let mut keys_of = |index: &Arc<dyn AnyIndex<T>>| {
            let id = || Box::new(resource.id.clone());
            let keys = contained_now(|| index.keys(resource, decoded.as_ref())).unwrap_or_else(|panicked| {
                problem.get_or_insert(NotIndexed::Panicked { id: id(), index: index.name(), panicked });
                BTreeSet::new()
            });
            if index.required() && keys.is_empty() {
                problem.get_or_insert(NotIndexed::MissingRequired { id: id(), index: index.name() });
            }
            keys
        };
        let keys = self.0.iter().map(&mut keys_of).collect();
        (keys, problem)
    }
}
