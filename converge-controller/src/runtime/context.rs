//! What the functions of a controller are given.

use std::sync::Arc;

use crate::service::Client;

use super::cache::Cache;

/// What the functions of a controller are given: the service, and what the controller knows already. Clones are handles of
/// the same.
#[derive(Clone)]
pub struct Runtime {
    /// The service. What a singleton writes by it is refused once its lease is lost.
    pub client: Client,
    /// What the watches of the controller told.
    pub cache: Cache,
    controller: Arc<str>,
}

impl Runtime {
    /// What a controller of this name is given.
    pub fn new(controller: impl Into<Arc<str>>, client: Client, cache: Cache) -> Self {
        Self { client, cache, controller: controller.into() }
    }

    /// The name of the controller.
    pub fn controller(&self) -> &str {
        &self.controller
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("controller", &self.controller)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
