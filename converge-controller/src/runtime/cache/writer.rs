//! Keeps a cache current.

use std::sync::Arc;

use crate::identity::Type;
use crate::resource::Resource;

use super::error::{CacheError, NotIndexed};
use super::key::Key;
use super::reader::Cache;

/// Keeps a [`Cache`] current: the one who may change it. All indexes of a type change together.
///
/// A resource that cannot be found by all of its indexes is in the cache all the same, and the problem is told. One resource
/// that somebody wrote wrongly does not stop a controller.
#[derive(Debug)]
pub struct CacheWriter(Cache);

/// What became of a resource that was put into a cache.
#[derive(Debug)]
pub struct Upserted {
    /// The state that it replaces.
    pub before: Option<Arc<Resource>>,
    /// What keeps it out of an index.
    pub problem: Option<NotIndexed>,
}

/// What changed when a snapshot took the place of everything.
#[derive(Debug)]
pub struct Replaced {
    /// Those that are new or in another state, each with the state before.
    pub changed: Vec<(Option<Arc<Resource>>, Arc<Resource>)>,
    /// The last states of those that are gone.
    pub gone: Vec<Arc<Resource>>,
    /// What keeps resources out of indexes.
    pub problems: Vec<NotIndexed>,
}

impl CacheWriter {
    pub(super) fn new(cache: Cache) -> Self {
        Self(cache)
    }

    /// The cache, to be read.
    pub fn cache(&self) -> &Cache {
        &self.0
    }

    /// Puts a resource in.
    ///
    /// # Errors
    ///
    /// The cache does not hold its type.
    pub fn upsert(&self, resource: Arc<Resource>) -> Result<Upserted, CacheError> {
        let held = self.0.held(&resource.id.resource_type)?;
        let (before, problem) = held.upsert(resource);
        Ok(Upserted { before, problem })
    }

    /// Takes a resource out, whatever state of it is given. Gives the state that was in.
    ///
    /// # Errors
    ///
    /// The cache does not hold its type.
    pub fn remove(&self, resource: &Resource) -> Result<Option<Arc<Resource>>, CacheError> {
        let held = self.0.held(&resource.id.resource_type)?;
        Ok(held.remove(&Key::of(&resource.id)))
    }

    /// Puts all that there is of a type in the place of what was in, so that nobody sees a part of it.
    ///
    /// # Errors
    ///
    /// The cache does not hold the type.
    pub fn replace(
        &self,
        resource_type: &Type,
        snapshot: Vec<Arc<Resource>>,
    ) -> Result<Replaced, CacheError> {
        let (mut before, problems) = self.0.held(resource_type)?.replace(&snapshot);
        let mut changed = Vec::new();
        for resource in snapshot {
            match before.remove(&Key::of(&resource.id)) {
                Some(before) if before.version == resource.version => {}
                before => changed.push((before, resource)),
            }
        }
        Ok(Replaced { changed, gone: before.by_id(&Key::default()), problems })
    }
}
