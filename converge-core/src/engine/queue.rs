//! The events between a run and who listens to it.
//!
//! A run never waits for its listener. What may wait to be heard is bounded all the same: of each resource there are
//! exactly two events, and a handful of the run.

use std::task::{Context, Poll};
use std::vec;

use tokio::sync::mpsc;

use super::event::Event;

/// How many events are handed over at once, at most. Waking a listener costs more than an event.
const AT_ONCE: usize = 256;

/// The end of the run.
#[derive(Debug)]
pub(super) struct EventSender {
    batch: Vec<Event>,
    send: mpsc::UnboundedSender<Vec<Event>>,
}

/// The end of the listener.
#[derive(Debug)]
pub(super) struct EventReceiver {
    batch: vec::IntoIter<Event>,
    receive: mpsc::UnboundedReceiver<Vec<Event>>,
}

pub(super) fn queue() -> (EventSender, EventReceiver) {
    let (send, receive) = mpsc::unbounded_channel();
    (EventSender { batch: Vec::new(), send }, EventReceiver { batch: Vec::new().into_iter(), receive })
}

impl EventSender {
    pub(super) fn send(&mut self, event: Event) {
        self.batch.push(event);
        if self.batch.len() >= AT_ONCE {
            self.flush();
        }
    }

    pub(super) fn flush(&mut self) {
        if !self.batch.is_empty() {
            let batch = std::mem::replace(&mut self.batch, Vec::with_capacity(AT_ONCE));
            // Nobody listens any more when it fails, which is no matter of the run.
            let _ = self.send.send(batch);
        }
    }
}

impl EventReceiver {
    /// The next event; `None` when the run is over.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(event) = self.batch.next() {
                return Poll::Ready(Some(event));
            }
            match self.receive.poll_recv(cx) {
                Poll::Ready(Some(batch)) => self.batch = batch.into_iter(),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}
