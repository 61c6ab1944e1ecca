//! Watches of clients.

use std::sync::Arc;
use std::time::Duration;

use converge_controller::service::{List, ResourceWatch};
use converge_controller::storage::WatchEvent;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_util::sync::CancellationToken;

use super::error_response::{Kind, Refusal};
use super::request::RequestContext;
use crate::access::{Authenticator, Pass};
use crate::metrics::{Counted, Limit};

/// The interval at which the authorization of a watching client is checked again.
const AGAIN: Duration = Duration::from_secs(5);

/// A watch by a client.
pub(crate) struct ClientWatch {
    watch: ResourceWatch,
    gate: Authenticator,
    pass: Pass,
    again: Interval,
    stopping: CancellationToken,
    _place: OwnedSemaphorePermit,
    _counted: Counted,
}

impl RequestContext {
    /// Starts a watch.
    pub(crate) async fn watch(&self, list: &List) -> Result<ClientWatch, Refusal> {
        let place = Arc::clone(&self.watches).try_acquire_owned().map_err(|_| {
            self.counts.refused(Limit::Watches).count();
            let message = format!("{} watches are open, which is the limit", self.limits.watches);
            Refusal::new(Kind::TooMany, message)
        })?;
        let watch = self.client.watch_list(list).await?;
        let mut ticks = interval_at(Instant::now() + AGAIN, AGAIN);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (gate, pass, stopping) = (self.gate.clone(), self.pass.clone(), self.stopping.clone());
        Ok(ClientWatch {
            watch,
            gate,
            pass,
            again: ticks,
            stopping,
            _place: place,
            _counted: self.counts.open_watch(),
        })
    }
}

impl ClientWatch {
    /// Returns the next event, or `None` when the server stops.
    ///
    /// After an error the watch is over.
    pub(crate) async fn next(&mut self) -> Option<Result<WatchEvent, Refusal>> {
        loop {
            tokio::select! {
                biased;
                () = self.stopping.cancelled() => return None,
                _ = self.again.tick() => {
                    if let Err(denied) = self.gate.check(&self.pass).await {
                        return Some(Err(denied.into()));
                    }
                }
                next = self.watch.next() => return Some(next.map_err(Refusal::from)),
            }
        }
    }
}
