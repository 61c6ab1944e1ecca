//! The definition of a cache: its types, indexes and queries.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::identity::Type;
use crate::registry::StoredResource;

use super::error::CacheDefinitionError;
use super::index::{ID, Index};
use super::key::ToKey;
use super::query::Query;
use super::reader::Cache;
use super::type_cache::{Indexer, Indexes, TypeCache};
use super::writer::CacheWriter;

/// The definition of a cache: its types, the indexes of each, and queries.
#[derive(Default)]
pub struct CacheDefinition {
    types: BTreeMap<Type, Definition>,
    queries: BTreeSet<&'static str>,
    /// The first mistake in the definition.
    mistake: Option<CacheDefinitionError>,
}

struct Definition {
    /// Whether the type is cached, or was only named by an index so far.
    held: bool,
    /// The [`Indexes`] of the type.
    indexes: Box<dyn Any + Send + Sync>,
    names: BTreeSet<&'static str>,
    indexer: fn(&(dyn Any + Send + Sync)) -> Option<Arc<dyn Indexer>>,
}

impl CacheDefinition {
    /// Creates an empty definition.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type, whose resources are then cached.
    pub fn hold<T: StoredResource>(&mut self) {
        self.entry::<T>().held = true;
    }

    /// Adds an index of a type.
    pub fn index<T: StoredResource, A: ToKey + 'static>(&mut self, index: &Index<T, A>) {
        let definition = self.entry::<T>();
        let name = index.name();
        if index.is_id() {
            return;
        }
        if !definition.names.insert(name) {
            let resource_type = T::resource_type().clone();
            self.mistake.get_or_insert(CacheDefinitionError::DuplicateIndex { resource_type, index: name });
        } else if let Some(Indexes(indexes)) = definition.indexes.downcast_mut::<Indexes<T>>() {
            indexes.push(Arc::new(*index));
        }
    }

    /// Adds a query.
    pub fn query<A, R>(&mut self, query: &Query<A, R>) {
        if !self.queries.insert(query.name()) {
            self.mistake.get_or_insert(CacheDefinitionError::DuplicateQuery { query: query.name() });
        }
    }

    /// Iterates over the cached types.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.types.iter().filter(|(_, definition)| definition.held).map(|(resource_type, _)| resource_type)
    }

    /// Checks that the definition is valid.
    pub fn check(&self) -> Result<(), CacheDefinitionError> {
        if let Some(mistake) = &self.mistake {
            return Err(mistake.clone());
        }
        let not_held = self.types.iter().find(|(_, definition)| !definition.held);
        let mistake = not_held.map(|(resource_type, definition)| CacheDefinitionError::TypeNotWatched {
            resource_type: resource_type.clone(),
            index: definition.names.iter().copied().find(|name| *name != ID).unwrap_or(ID),
        });
        mistake.map_or(Ok(()), Err)
    }

    /// Returns a writer for a new, empty cache.
    pub fn build(&self) -> CacheWriter {
        let tables = self.types.iter().filter_map(|(resource_type, definition)| {
            let indexer = (definition.indexer)(&*definition.indexes)?;
            Some((resource_type.clone(), TypeCache::new(indexer)))
        });
        CacheWriter::new(Cache::new(tables.collect(), self.queries.clone()))
    }

    fn entry<T: StoredResource>(&mut self) -> &mut Definition {
        self.types.entry(T::resource_type().clone()).or_insert_with(|| Definition {
            held: false,
            indexes: Box::new(Indexes::<T>(Vec::new())),
            names: BTreeSet::from([ID]),
            indexer: |indexes| {
                let Indexes(indexes) = indexes.downcast_ref::<Indexes<T>>()?;
                Some(Arc::new(Indexes(indexes.clone())))
            },
        })
    }
}
