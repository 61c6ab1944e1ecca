//! A controller that is called by hand.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use crate::identity::Id;
use crate::resource::Resource;
use crate::runtime::{Action, CacheWriter, Definition, RunError, Runtime};
use crate::service::{Client, List, ResourceWatch};
use crate::storage::WatchEvent;

/// Calls a controller by hand, one reconcile at a time, over a real service.
///
/// The cache contains everything that was written before the call. Nothing is queued or retried.
pub struct TestController {
    definition: Definition,
    runtime: Runtime,
    cache: CacheWriter,
    watches: Vec<ResourceWatch>,
}

impl TestController {
    /// Prepares a controller, and calls its initializer.
    ///
    /// # Panics
    ///
    /// Panics if the definition is faulty, the initializer fails, or the service refuses a watch.
    pub async fn new(definition: Definition, client: &Client) -> Self {
        definition.cache.check().unwrap_or_else(|mistake| panic!("{}: {mistake}", definition.name()));
        let cache = definition.cache.build();
        let runtime = Runtime::new(definition.name(), client.clone(), cache.cache().clone());
        if let Some(initialize) = &definition.settings.initialize {
            let result = initialize(runtime.clone(), ()).await;
            result.unwrap_or_else(|error| panic!("{}: the initializer fails: {error}", definition.name()));
        }
        let mut watches = Vec::new();
        for watched in definition.watches() {
            let list = List::new(watched.resource_type.clone());
            let watch = client.watch_list(&list).await;
            let watch = watch.unwrap_or_else(|error| panic!("{} cannot watch: {error}", definition.name()));
            watches.push(watch);
        }
        Self { definition, runtime, cache, watches }
    }

    /// Reconciles one resource once.
    ///
    /// # Errors
    ///
    /// Returns the error of the reconciler.
    pub async fn reconcile(&mut self, id: &Id) -> Result<Action, RunError> {
        self.catch_up().await;
        (self.definition.reconcile)(self.runtime.clone(), id.clone().without_uid()).await
    }

    /// Returns the resources that the mapper of the controller returns for a changed one.
    ///
    /// # Errors
    ///
    /// Returns the error of the mapper.
    ///
    /// # Panics
    ///
    /// Panics if the controller does not watch the type.
    pub async fn map(&mut self, changed: &Resource) -> Result<Vec<Id>, RunError> {
        self.catch_up().await;
        let resource_type = &changed.id.resource_type;
        let mapped =
            self.definition.mapped.iter().find(|mapped| mapped.watched.resource_type == *resource_type);
        let mapped =
            mapped.unwrap_or_else(|| panic!("{} does not watch {resource_type}", self.definition.name()));
        (mapped.map)(self.runtime.clone(), Arc::new(changed.clone())).await
    }

    /// Returns the context that the functions of the controller receive.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Updates the cache to the stored state.
    async fn catch_up(&mut self) {
        for watch in &mut self.watches {
            loop {
                let mut next = pin!(watch.next());
                let event = poll_fn(|cx| match next.as_mut().poll(cx) {
                    Poll::Ready(event) => Poll::Ready(Some(event)),
                    // All committed changes have been received, and no more are awaited.
                    Poll::Pending => Poll::Ready(None),
                });
                let changed = match event.await {
                    None => break,
                    Some(Ok(WatchEvent::EndOfSnapshot)) => Ok(()),
                    Some(Ok(WatchEvent::Upsert(resource))) => self.cache.upsert(resource).map(drop),
                    Some(Ok(WatchEvent::Delete(resource))) => self.cache.remove(&resource).map(drop),
                    Some(Err(closed)) => panic!("{}: {closed}", self.definition.name()),
                };
                changed.unwrap_or_else(|error| panic!("{}: {error}", self.definition.name()));
            }
        }
    }
}
