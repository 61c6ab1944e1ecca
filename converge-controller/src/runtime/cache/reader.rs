//! Read access to a cache.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::identity::{Id, Type};
use crate::registry::{StoredResource, Typed};
use crate::resource::Resource;

use super::error::CacheError;
use super::index::Index;
use super::key::{Key, PrefixOf, ToKey};
use super::type_cache::TypeCache;

/// The cached resources of a controller; see [the module](super).
///
/// Clones share the same cache.
#[derive(Clone)]
pub struct Cache(Arc<Contents>);

struct Contents {
    held: BTreeMap<Type, TypeCache>,
    /// The names of the declared queries.
    queries: BTreeSet<&'static str>,
}

impl Cache {
    pub(super) fn new(tables: BTreeMap<Type, TypeCache>, queries: BTreeSet<&'static str>) -> Self {
        Self(Arc::new(Contents { held: tables, queries }))
    }

    /// Returns the resource with an identity, ignoring its uid, or `None`.
    ///
    /// # Errors
    ///
    /// Fails if the type is not in the cache, or if the data cannot be decoded.
    pub fn resource<T: StoredResource>(&self, id: &Id) -> Result<Option<Typed<T>>, CacheError> {
        let table = self.held(T::resource_type())?;
        let resource = table.read().get(&Key::from_value(id)).cloned();
        resource.as_ref().map(decode).transpose()
    }

    /// Returns the first resource under a key, or `None`.
    ///
    /// # Errors
    ///
    /// Fails if the index is not declared, or if the data cannot be decoded.
    pub fn get<T: StoredResource, A: ToKey + 'static>(
        &self,
        index: &Index<T, A>,
        key: &A,
    ) -> Result<Option<Typed<T>>, CacheError> {
        let (table, number) = self.held_by(index)?;
        let key = Key::from_value(key);
        let resource = match number {
            None => table.read().get(&key).cloned(),
            Some(number) => table.read().under(number, &key).into_iter().next(),
        };
        resource.as_ref().map(decode).transpose()
    }

    /// Returns all resources under a key or a prefix of keys, sorted by key.
    ///
    /// # Errors
    ///
    /// Fails if the index is not declared, or if the data of one resource cannot be decoded.
    pub fn list<T: StoredResource, A: ToKey + 'static, P: PrefixOf<A>>(
        &self,
        index: &Index<T, A>,
        key: &P,
    ) -> Result<Vec<Typed<T>>, CacheError> {
        self.list_iter(index, key)?.collect()
    }

    /// Like [`list`](Self::list), as an iterator.
    ///
    /// The iterator continues after a resource that cannot be decoded.
    ///
    /// # Errors
    ///
    /// Fails if the index is not declared.
    pub fn list_iter<T: StoredResource, A: ToKey + 'static, P: PrefixOf<A>>(
        &self,
        index: &Index<T, A>,
        key: &P,
    ) -> Result<impl Iterator<Item = Result<Typed<T>, CacheError>> + use<T, A, P>, CacheError> {
        let (table, number) = self.held_by(index)?;
        let key = Key::from_value(key);
        let resources = match number {
            None => table.read().by_id(&key),
            Some(number) => table.read().by_index(number, &key),
        };
        Ok(resources.into_iter().map(|resource| decode(&resource)))
    }

    /// Returns all resources whose key is a prefix of `key`, sorted by the length of their keys.
    ///
    /// In an index of prefixes, these are all resources that select `key`.
    ///
    /// # Errors
    ///
    /// Fails if the index is not declared, or if the data of one resource cannot be decoded.
    pub fn parents<T, P, A>(&self, index: &Index<T, P>, key: &A) -> Result<Vec<Typed<T>>, CacheError>
    where
        T: StoredResource,
        P: PrefixOf<A> + 'static,
        A: ToKey,
    {
        self.parents_iter(index, key)?.collect()
    }

    /// Like [`parents`](Self::parents), as an iterator.
    ///
    /// The iterator continues after a resource that cannot be decoded.
    ///
    /// # Errors
    ///
    /// Fails if the index is not declared.
    pub fn parents_iter<T, P, A>(
        &self,
        index: &Index<T, P>,
        key: &A,
    ) -> Result<impl Iterator<Item = Result<Typed<T>, CacheError>> + use<T, P, A>, CacheError>
    where
        T: StoredResource,
        P: PrefixOf<A> + 'static,
        A: ToKey,
    {
        let (table, number) = self.held_by(index)?;
        let key = Key::from_value(key);
        let resources = match number {
            None => table.read().get(&key).map(Arc::clone).into_iter().collect(),
            Some(number) => table.read().parents(number, &key),
        };
        Ok(resources.into_iter().map(|resource| decode(&resource)))
    }

    /// Returns the number of resources of a type.
    pub fn count(&self, resource_type: &Type) -> usize {
        self.0.held.get(resource_type).map_or(0, |table| table.read().len())
    }

    /// Returns whether a query was declared.
    pub(super) fn has_query(&self, name: &str) -> bool {
        self.0.queries.contains(name)
    }

    /// Returns whether there is a resource with this identity, ignoring its uid.
    pub fn contains(&self, id: &Id) -> bool {
        self.held(&id.resource_type).is_ok_and(|table| table.read().get(&Key::from_value(id)).is_some())
    }

    /// Returns the cache of a type.
    pub(super) fn held(&self, resource_type: &Type) -> Result<&TypeCache, CacheError> {
        let not_indexed = || CacheError::TypeNotIndexed { resource_type: resource_type.clone() };
        self.0.held.get(resource_type).ok_or_else(not_indexed)
    }

    /// Returns the cache of a type and the number of an index in it; the index by identity has no number.
    fn held_by<T: StoredResource, A: 'static>(
        &self,
        index: &Index<T, A>,
    ) -> Result<(&TypeCache, Option<usize>), CacheError> {
        let table = self.held(T::resource_type())?;
        if index.is_id() {
            return Ok((table, None));
        }
        let number = table.index(index.name(), TypeId::of::<A>());
        let not_found =
            || CacheError::IndexNotFound { resource_type: T::resource_type().clone(), index: index.name() };
        number.map(|number| (table, Some(number))).ok_or_else(not_found)
    }
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.0.held.iter().map(|(resource_type, held)| (resource_type, held.read().len()));
        f.debug_map()
            .entries(counts.map(|(resource_type, count)| (resource_type.to_string(), count)))
            .finish()
    }
}

fn decode<T: StoredResource>(resource: &Arc<Resource>) -> Result<Typed<T>, CacheError> {
    Ok(Typed::decode(Resource::clone(resource))?)
}
