//! Resources as they change.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::resource::Resource;

/// What happened to a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// It is there, new or changed.
    Upsert(Arc<Resource>),
    /// Everything that was there when the watch began has been told.
    EndOfSnapshot,
    /// It is gone; this is the last state that it had.
    Delete(Arc<Resource>),
}

/// A watch has ended: whoever watches forgets what it knows, and watches anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WatchClosed {
    /// It was read too slowly.
    #[error("the watch was closed because its events were not read quickly enough")]
    TooSlow,
    /// The store no longer has the changes that come next: it was restored, or has forgotten old changes.
    #[error("the watch was closed because the store was restored or has forgotten older changes")]
    Restored,
    /// The connection to the store is lost, or the store was shut down.
    #[error("the watch was closed because the connection to the store ended")]
    Disconnected,
}

/// Resources as they change: an [`Upsert`](WatchEvent::Upsert) for each that is there, one
/// [`EndOfSnapshot`](WatchEvent::EndOfSnapshot), then every change in the order in which they were committed, none left
/// out and none twice. After an error there is nothing more.
pub struct Watch(Pin<Box<dyn Stream<Item = Result<WatchEvent, WatchClosed>> + Send>>);

impl Watch {
    /// How many events may wait to be read, at most, before the watch is closed as too slow. What is left of the
    /// snapshot does not count.
    pub const MOST_WAITING: usize = 8_192;

    /// The watch that a backend makes of a stream which keeps these promises.
    pub fn new(events: impl Stream<Item = Result<WatchEvent, WatchClosed>> + Send + 'static) -> Self {
        Self(Box::pin(events))
    }

    /// The next event. It can be dropped while it waits and called again; no event is lost by that.
    ///
    /// # Errors
    ///
    /// The watch has ended.
    pub async fn next(&mut self) -> Result<WatchEvent, WatchClosed> {
        let next = std::future::poll_fn(|cx| self.0.as_mut().poll_next(cx)).await;
        next.unwrap_or(Err(WatchClosed::Disconnected))
    }
}

impl Stream for Watch {
    type Item = Result<WatchEvent, WatchClosed>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Watch(..)")
    }
}
