//! Write access to a cache.

use std::sync::Arc;

use crate::identity::Type;
use crate::resource::Resource;

use super::error::{CacheError, NotIndexed};
use super::key::Key;
use super::reader::Cache;

/// The only writer of a [`Cache`].
///
/// All indexes of a type change together.
///
/// A resource that is missing from an index is in the cache all the same, and the problem is returned: one
/// faulty resource does not stop a controller.
#[derive(Debug)]
pub struct CacheWriter(Cache);

/// The result of inserting a resource into a cache.
#[derive(Debug)]
pub struct Upserted {
    /// The state that was replaced.
    pub before: Option<Arc<Resource>>,
    /// The reason why the resource is missing from an index.
    pub problem: Option<NotIndexed>,
}

/// The changes made by replacing everything by a snapshot.
#[derive(Debug)]
pub struct Replaced {
    /// The new or changed resources, each with its earlier state.
    pub changed: Vec<(Option<Arc<Resource>>, Arc<Resource>)>,
    /// The last states of resources that are gone.
    pub gone: Vec<Arc<Resource>>,
    /// The reasons why resources are missing from indexes.
    pub problems: Vec<NotIndexed>,
}

impl CacheWriter {
    pub(super) fn new(cache: Cache) -> Self {
        Self(cache)
    }

    /// Returns the cache for reading.
    pub fn cache(&self) -> &Cache {
        &self.0
    }

    /// Inserts a resource.
    ///
    /// # Errors
    ///
    /// Fails if its type is not in the cache.
    pub fn upsert(&self, resource: Arc<Resource>) -> Result<Upserted, CacheError> {
        let table = self.0.held(&resource.id.resource_type)?;
        let (before, problem) = table.upsert(resource);
        Ok(Upserted { before, problem })
    }

    /// Removes a resource, whatever its state, and returns the removed state.
    ///
    /// # Errors
    ///
    /// Fails if its type is not in the cache.
    pub fn remove(&self, resource: &Resource) -> Result<Option<Arc<Resource>>, CacheError> {
        let table = self.0.held(&resource.id.resource_type)?;
        Ok(table.remove(&Key::from_value(&resource.id)))
    }

    /// Replaces all resources of a type atomically.
    ///
    /// # Errors
    ///
    /// Fails if the type is not in the cache.
    pub fn replace(
        &self,
        resource_type: &Type,
        snapshot: Vec<Arc<Resource>>,
    ) -> Result<Replaced, CacheError> {
        let (mut before, problems) = self.0.held(resource_type)?.replace(&snapshot);
        let mut changed = Vec::new();
        for resource in snapshot {
            match before.remove(&Key::from_value(&resource.id)) {
                Some(before) if before.version == resource.version => {}
                before => changed.push((before, resource)),
            }
        }
        Ok(Replaced { changed, gone: before.by_id(&Key::default()), problems })
    }
}
