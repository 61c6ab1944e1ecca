//! Watching many resources.

use std::collections::HashMap;
use std::sync::Arc;

use crate::resource::Resource;
use crate::storage::{Key, Watch, WatchEvent};

use super::client::Client;
use super::error::{Aborted, ServiceError};
use super::request::List;
use super::tenancy::any;

/// Resources as they change, as far as the caller may read them.
pub struct ResourceWatch {
    client: Client,
    events: Watch,
    list: List,
    /// What was told and not taken back, by key, so that what can no longer be seen can be taken back.
    told: HashMap<Key, Arc<Resource>>,
}

impl Client {
    /// Watches all resources that a list means and that the caller may read: each that is there, then
    /// [the end of these](WatchEvent::EndOfSnapshot), then each change in the order in which they were made. After an
    /// event nothing older is read on this server.
    ///
    /// Where the list does not say of which tenancy, it means any. What is written with another version of its group is gone
    /// for those who watch this one, and so is what the caller may not read any more, or what by its metadata is not meant any
    /// more.
    ///
    /// # Errors
    ///
    /// One of [`ServiceError`], as its variants say.
    pub async fn watch_list(&self, list: &List) -> Result<ResourceWatch, ServiceError> {
        let registration = self.service.registration(&list.resource_type)?;
        let tenancy = list.tenancy.clone().unwrap_or_else(|| any(registration.scope));
        let query = self.query(&registration, list, &tenancy)?;
        let events = self.backend().watch(&query).await?;
        Ok(ResourceWatch { client: self.clone(), events, list: list.clone(), told: HashMap::new() })
    }
}

impl ResourceWatch {
    /// The next event. It can be dropped while it waits and called again; no event is lost by that.
    ///
    /// # Errors
    ///
    /// [`Aborted`](ServiceError::Aborted): the watch has ended. Forget what it told, and watch anew.
    pub async fn next(&mut self) -> Result<WatchEvent, ServiceError> {
        loop {
            let event = self.events.next().await.map_err(Aborted::from)?;
            if let Some(event) = self.seen(event) {
                return Ok(event);
            }
        }
    }

    /// What of an event the caller sees.
    fn seen(&mut self, event: WatchEvent) -> Option<WatchEvent> {
        match event {
            WatchEvent::EndOfSnapshot => Some(WatchEvent::EndOfSnapshot),
            WatchEvent::Upsert(resource) => {
                let key = Key::of(&resource.id);
                let visible = self.list.means(&resource)
                    && self.client.may_read(&self.client.service.types(), &resource);
                if visible {
                    self.told.insert(key, Arc::clone(&resource));
                    return Some(WatchEvent::Upsert(resource));
                }
                self.told.remove(&key).map(WatchEvent::Delete)
            }
            WatchEvent::Delete(last) => {
                self.told.remove(&Key::of(&last.id))?;
                Some(WatchEvent::Delete(without_finalizers(last)))
            }
        }
    }
}

/// The last state of a resource, which went when nobody had to finalize it any more; the store still has the state before.
fn without_finalizers(last: Arc<Resource>) -> Arc<Resource> {
    if !last.metadata.has_finalizers() {
        return last;
    }
    let mut freed = Resource::clone(&last);
    freed.metadata.take_finalizers_of(&crate::resource::Metadata::default());
    Arc::new(freed)
}
