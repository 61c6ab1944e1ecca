//! The context that the functions of a controller receive.

use std::sync::Arc;

use crate::identity::Id;
use crate::service::Client;

use super::cache::Cache;
use super::events::{Events, ResourceEvent};

/// The context that the functions of a controller receive: the service, and the cache.
///
/// Clones share the same context.
#[derive(Clone)]
pub struct Runtime {
    /// The client of the service.
    ///
    /// The service refuses writes of a singleton that has lost its lease.
    pub client: Client,
    /// The resources that the watches of the controller have reported.
    pub cache: Cache,
    controller: Arc<str>,
    events: Events,
}

impl Runtime {
    /// Creates the context of the controller with this name.
    pub fn new(controller: impl Into<Arc<str>>, client: Client, cache: Cache) -> Self {
        Self { client, cache, controller: controller.into(), events: Events::default() }
    }

    /// Sets the place where events are recorded.
    pub(super) fn with_events(self, events: Events) -> Self {
        Self { events, ..self }
    }

    /// Records an event of a resource for people, such as why it waits or what was done for it.
    ///
    /// The last events of each resource are a part of the [status](super::ControllerStatus::events) of the
    /// controller, on the server where it runs. Information that others rely on belongs in a status of the
    /// resource.
    ///
    /// Errors of reconciles are recorded automatically.
    pub fn event(&self, subject: &Id, text: impl AsRef<str>) {
        let text = text.as_ref();
        tracing::info!(controller = %self.controller, resource = %subject, "{text}");
        self.events.push(subject, text);
    }

    /// Returns the recorded events, latest last.
    pub fn events(&self) -> Vec<ResourceEvent> {
        self.events.all()
    }

    /// Returns the name of the controller.
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
