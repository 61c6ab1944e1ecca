//! A task that keeps the cached resources of a type current.

use std::sync::Arc;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::identity::Id;
use crate::resource::Resource;
use crate::runtime::cache::{CacheError, CacheWriter, NotIndexed};
use crate::runtime::queue::{Queue, Reason};
use crate::runtime::restart_delay::Flapping;
use crate::runtime::supervisor::RunError;
use crate::service::{Client, ErrorKind, List, ResourceWatch, ServiceError};
use crate::storage::WatchEvent;

use super::definition::Watched;
use super::feed::Changes;

/// The receiver of changes.
pub(super) enum Sink {
    /// The queue of requests, for changes of managed resources.
    Requests(Queue<Id>),
    /// The changes to be mapped, for other types.
    Changes(Changes),
}

/// Keeps the resources of one type current.
pub(super) struct Follow {
    pub(super) watched: Watched,
    pub(super) client: Client,
    pub(super) cache: Arc<CacheWriter>,
    pub(super) sink: Sink,
    /// The counter of types whose resources are completely cached; taken once this type is counted.
    pub(super) primed: Option<watch::Sender<usize>>,
    pub(super) flapping: Flapping,
}

impl Follow {
    /// Watches the type forever.
    ///
    /// One watch delivers both the existing resources and the changes, so no change is lost in between. When
    /// a watch is closed, a new one begins, and resources that disappeared meanwhile are reported as deleted.
    ///
    /// # Errors
    ///
    /// Fails if the watch is refused permanently.
    pub(super) async fn run(mut self) -> Result<(), RunError> {
        let list = List::new(self.watched.resource_type.clone());
        loop {
            let began = Instant::now();
            match self.client.watch_list(&list).await {
                Ok(watch) => {
                    let error = self.follow(watch).await?;
                    tracing::info!(resource_type = %list.resource_type, %error, "restarting a watch");
                }
                Err(error) if error.kind() == ErrorKind::InvalidArgument => return Err(error.into()),
                Err(error) => {
                    tracing::warn!(resource_type = %list.resource_type, %error, "cannot watch, and tries again");
                }
            }
            sleep(self.flapping.ended_after(began.elapsed())).await;
        }
    }

    /// Processes one watch until it is closed, and returns the reason.
    async fn follow(&mut self, mut watch: ResourceWatch) -> Result<ServiceError, CacheError> {
        let mut snapshot = Some(Vec::new());
        loop {
            match watch.next().await {
                Err(error) => return Ok(error),
                Ok(WatchEvent::Upsert(resource)) => match &mut snapshot {
                    Some(snapshot) => snapshot.push(resource),
                    None => self.upsert(resource)?,
                },
                Ok(WatchEvent::Delete(resource)) => {
                    self.cache.remove(&resource)?;
                    self.tell(resource);
                }
                Ok(WatchEvent::EndOfSnapshot) => {
                    if let Some(snapshot) = snapshot.take() {
                        self.replace(snapshot)?;
                    }
                }
            }
        }
    }

    fn upsert(&self, resource: Arc<Resource>) -> Result<(), CacheError> {
        let upserted = self.cache.upsert(Arc::clone(&resource))?;
        report(upserted.problem);
        self.tell_if_it_matters(upserted.before.as_deref(), resource);
        Ok(())
    }

    fn replace(&mut self, snapshot: Vec<Arc<Resource>>) -> Result<(), CacheError> {
        let replaced = self.cache.replace(&self.watched.resource_type, snapshot)?;
        report(replaced.problems);
        for resource in replaced.gone {
            self.tell(resource);
        }
        for (before, current) in replaced.changed {
            self.tell_if_it_matters(before.as_deref(), current);
        }
        if let Some(primed) = self.primed.take() {
            primed.send_modify(|primed| *primed += 1);
        }
        Ok(())
    }

    fn tell_if_it_matters(&self, before: Option<&Resource>, current: Arc<Resource>) {
        if before.is_none_or(|before| self.watched.predicate.matters(before, &current)) {
            self.tell(current);
        }
    }

    fn tell(&self, resource: Arc<Resource>) {
        match &self.sink {
            Sink::Requests(queue) => queue.add(resource.id.clone().without_uid(), Reason::Changed),
            Sink::Changes(changes) => changes.push(resource),
        }
    }
}

fn report(problems: impl IntoIterator<Item = NotIndexed>) {
    for problem in problems {
        tracing::error!(%problem, "an index is incomplete");
    }
}
