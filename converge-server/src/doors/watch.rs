//! Changes as they come.

use std::sync::Arc;

use converge_controller::service::{List, ResourceWatch};
use converge_controller::storage::WatchEvent;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::Doors;
use super::refusal::{Kind, Refusal};

/// A watch that is told to a client.
pub(crate) struct Told {
    watch: ResourceWatch,
    stopping: CancellationToken,
    _place: OwnedSemaphorePermit,
}

impl Doors {
    /// Begins to tell of resources.
    pub(crate) async fn watch(&self, list: &List) -> Result<Told, Refusal> {
        let place = Arc::clone(&self.watches).try_acquire_owned().map_err(|_| {
            let message = format!("{} watches are told, and there is place for no more", self.limits.watches);
            Refusal::new(Kind::TooMany, message)
        })?;
        let watch = self.client.watch_list(list).await?;
        Ok(Told { watch, stopping: self.stopping.clone(), _place: place })
    }
}

impl Told {
    /// The next event; none when the server stops. After an error there is nothing more to tell.
    pub(crate) async fn next(&mut self) -> Option<Result<WatchEvent, Refusal>> {
        tokio::select! {
            biased;
            () = self.stopping.cancelled() => None,
            next = self.watch.next() => Some(next.map_err(Refusal::from)),
        }
    }
}
