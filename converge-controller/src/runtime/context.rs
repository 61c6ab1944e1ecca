//! What the functions of a controller are given.

use std::sync::Arc;

use crate::identity::Id;
use crate::service::Client;

use super::cache::Cache;
use super::events::{Events, ResourceEvent};

/// What the functions of a controller are given: the service, and what the controller knows already. Clones are handles of
/// the same.
#[derive(Clone)]
pub struct Runtime {
    /// The service. What a singleton writes by it is refused once its lease is lost.
    pub client: Client,
    /// What the watches of the controller told.
    pub cache: Cache,
    controller: Arc<str>,
    events: Events,
}

impl Runtime {
    /// What a controller of this name is given.
    pub fn new(controller: impl Into<Arc<str>>, client: Client, cache: Cache) -> Self {
        Self { client, cache, controller: controller.into(), events: Events::default() }
    }

    /// The same, with what is said going where others look for it.
    pub(super) fn with_events(self, events: Events) -> Self {
        Self { events, ..self }
    }

    /// Says something about a resource to people: why it waits, what was done for it. The last events of each resource are a
    /// part of the [status](super::ControllerStatus::events) of the controller, on the server where it runs; what others should
    /// rely on belongs in a status of the resource.
    ///
    /// Errors of reconciles need not be said: they are events by themselves.
    pub fn event(&self, about: &Id, text: impl AsRef<str>) {
        let text = text.as_ref();
        tracing::info!(controller = %self.controller, resource = %about, "{text}");
        self.events.push(about, text);
    }

    /// What was said last, the latest at the end.
    pub fn events(&self) -> Vec<ResourceEvent> {
        self.events.all()
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
