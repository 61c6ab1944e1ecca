//! Watches of resources.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use crate::debug_as_text;
use crate::resource::Resource;

/// An event of a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent {
    /// The resource is new or has changed, or existed when the watch began.
    Upsert(Arc<Resource>),
    /// All resources that existed when the watch began have been reported.
    EndOfSnapshot,
    /// The resource was deleted; this is its last state.
    Delete(Arc<Resource>),
}

/// The reason for the end of a watch.
///
/// The watcher must discard its state, and watch anew.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WatchClosed {
    /// The events were read too slowly.
    #[error("the watch was closed because its events were not read quickly enough")]
    TooSlow,
    /// The store no longer has the next changes: it was restored, or compacted old changes.
    #[error("the watch was closed because the store was restored or has forgotten older changes")]
    Restored,
    /// The connection to the store was lost, or the store was shut down.
    #[error("the watch was closed because the connection to the store ended")]
    Disconnected,
}

debug_as_text!(WatchClosed);

/// A stream of the changes of resources.
///
/// It starts with an [`Upsert`](WatchEvent::Upsert) for each existing resource and one
/// [`EndOfSnapshot`](WatchEvent::EndOfSnapshot). Every change follows in commit order, without gaps or
/// duplicates. After an error the stream ends.
pub struct Watch(Pin<Box<dyn Stream<Item = Result<WatchEvent, WatchClosed>> + Send>>);

impl Watch {
    /// The maximum number of unread events before the watch is closed as too slow.
    ///
    /// Unread events of the snapshot do not count.
    pub const MOST_WAITING: usize = 8_192;

    /// Creates the watch of a store from a stream that keeps these promises.
    pub fn new(events: impl Stream<Item = Result<WatchEvent, WatchClosed>> + Send + 'static) -> Self {
        Self(Box::pin(events))
    }

    /// Returns the next event.
    ///
    /// The future can be dropped while it waits, without losing an event.
    ///
    /// # Errors
    ///
    /// Fails if the watch has ended.
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
