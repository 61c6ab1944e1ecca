//! Watches of many resources.

use std::collections::HashMap;
use std::sync::Arc;

use crate::resource::Resource;
use crate::storage::{Key, Watch, WatchEvent};

use super::client::Client;
use super::error::{Aborted, ServiceError};
use super::request::List;
use super::tenancy::any;

/// A stream of changes of the resources that the caller may read.
pub struct ResourceWatch {
    client: Client,
    events: Watch,
    list: List,
    /// The reported resources by key, needed to report as deleted what the caller can no longer see.
    told: HashMap<Key, Arc<Resource>>,
}

impl Client {
    /// Watches all selected resources that the caller may read.
    ///
    /// The watch reports each existing resource, then [the end of these](WatchEvent::EndOfSnapshot), then
    /// each change in commit order. After an event, reads on this server return nothing older.
    ///
    /// Without a tenancy, the watch covers all tenancies. A resource is reported as deleted if it is written
    /// as another version of its type. The same holds if the caller may no longer read it, or if its metadata
    /// no longer match.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`].
    pub async fn watch_list(&self, list: &List) -> Result<ResourceWatch, ServiceError> {
        let registration = self.service.registration(&list.resource_type)?;
        let tenancy = list.tenancy.clone().unwrap_or_else(|| any(registration.scope));
        let query = self.query(&registration, list, &tenancy)?;
        let events = self.backend().watch(&query).await?;
        Ok(ResourceWatch { client: self.clone(), events, list: list.clone(), told: HashMap::new() })
    }
}

impl ResourceWatch {
    /// Returns the next event.
    ///
    /// The future can be dropped while it waits, without losing an event.
    ///
    /// # Errors
    ///
    /// [`Aborted`](ServiceError::Aborted) if the watch has ended. Discard what it reported, and watch anew.
    pub async fn next(&mut self) -> Result<WatchEvent, ServiceError> {
        loop {
            let event = self.events.next().await.map_err(Aborted::from)?;
            if let Some(event) = self.seen(event) {
                return Ok(event);
            }
        }
    }

    /// Returns the event as the caller may see it.
    fn seen(&mut self, event: WatchEvent) -> Option<WatchEvent> {
        match event {
            WatchEvent::EndOfSnapshot => Some(WatchEvent::EndOfSnapshot),
            WatchEvent::Upsert(resource) => {
                let key = Key::from_id(&resource.id);
                let visible = self.list.matches(&resource)
                    && self.client.may_read(&self.client.service.types(), &resource);
                if visible {
                    self.told.insert(key, Arc::clone(&resource));
                    return Some(WatchEvent::Upsert(resource));
                }
                self.told.remove(&key).map(WatchEvent::Delete)
            }
            WatchEvent::Delete(last) => {
                self.told.remove(&Key::from_id(&last.id))?;
                Some(WatchEvent::Delete(without_finalizers(last)))
            }
        }
    }
}

/// Returns the last state of a deleted resource, without the finalizers that the store still has in it.
fn without_finalizers(last: Arc<Resource>) -> Arc<Resource> {
    if !last.metadata.has_finalizers() {
        return last;
    }
    let mut freed = Resource::clone(&last);
    freed.metadata.take_finalizers_of(&crate::resource::Metadata::default());
    Arc::new(freed)
}
