//! The queue of events between a run and its subscriber.
//!
//! A run never waits for its subscriber. The queue is bounded all the same. Each resource has two results,
//! and the run has a handful of events. Progress events have limited room; they are dropped and counted when
//! it is full.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::vec;

use tokio::sync::mpsc;

use super::event::{Event, EventKind};

/// The maximum number of events handed over at once. Waking a subscriber costs more than an event.
const MAX_CHUNK: usize = 256;

/// The maximum number of progress events in the queue.
const MAX_PROGRESS: usize = 1024;

/// The number of queued progress events up to which output lines are accepted.
///
/// The remaining room is for other events, so that a program that prints a lot does not hide them.
const MAX_LINES: usize = MAX_PROGRESS / 4 * 3;

/// The room for progress events.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// The number of events in the queue.
    waiting: AtomicUsize,
    /// The number of events dropped since the last report of dropped events.
    left_out: AtomicUsize,
}

impl Room {
    /// Takes room for one event. Returns `false`, and counts the event as dropped, if there is none.
    pub(super) fn take(&self) -> bool {
        self.take_of(MAX_PROGRESS)
    }

    /// Takes room for a line of output, like [`take`](Self::take).
    pub(super) fn take_for_line(&self) -> bool {
        self.take_of(MAX_LINES)
    }

    fn take_of(&self, maximum: usize) -> bool {
        let increment = |waiting| (waiting < maximum).then_some(waiting + 1);
        let is_taken = self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, increment).is_ok();
        if !is_taken {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        is_taken
    }

    /// Returns the room of an event that was received or will not be sent.
    pub(crate) fn give_back(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The sending end, held by the run.
#[derive(Debug)]
pub(crate) struct EventSender {
    batch: Vec<Event>,
    send: mpsc::UnboundedSender<Vec<Event>>,
    room: Arc<Room>,
}

/// The receiving end, held by the subscriber.
#[derive(Debug)]
pub(crate) struct EventReceiver {
    batch: vec::IntoIter<Event>,
    receive: mpsc::UnboundedReceiver<Vec<Event>>,
    room: Arc<Room>,
}

pub(crate) fn queue() -> (EventSender, EventReceiver) {
    let (send, receive) = mpsc::unbounded_channel();
    let room = Arc::new(Room::default());
    let sender = EventSender { batch: Vec::new(), send, room: Arc::clone(&room) };
    (sender, EventReceiver { batch: Vec::new().into_iter(), receive, room })
}

impl EventSender {
    pub(super) fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Sends an event. A progress event is dropped if there is no room for it.
    pub(super) fn send(&mut self, event: Event) {
        if !event.kind.is_progress() || self.room.take() {
            self.send_with_room(event);
        }
    }

    /// Sends an event whose room is already taken.
    pub(super) fn send_with_room(&mut self, event: Event) {
        let left_out = self.room.left_out.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            let kind = EventKind::ProgressLeftOut { events: left_out };
            self.batch.push(Event { kind, run: event.run.clone(), time: event.time });
        }
        self.batch.push(event);
        if self.batch.len() >= MAX_CHUNK {
            self.flush();
        }
    }

    pub(super) fn flush(&mut self) {
        if !self.batch.is_empty() {
            // The next batch is expected to be about as long.
            //
            // Room for the longest would be held by every batch in the queue.
            let next = Vec::with_capacity(self.batch.len());
            let batch = std::mem::replace(&mut self.batch, next);
            // Sending fails if there is no subscriber any more, which does not concern the run.
            let _ = self.send.send(batch);
        }
    }
}

impl EventReceiver {
    /// Polls for the next event; `None` when the run is over.
    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(event) = self.batch.next() {
                if event.kind.is_progress() {
                    self.room.give_back();
                }
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

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use jiff::Timestamp;

    use super::*;
    use crate::events::outcome::Outcome;
    use crate::events::report::ResourceReport;
    use crate::graph::NodeId;
    use crate::sdk::context::RunId;

    fn event(kind: EventKind) -> Event {
        Event { kind, run: RunId::new("r"), time: Timestamp::UNIX_EPOCH }
    }

    fn failed(attempt: u32) -> Event {
        let (id, wait) = (NodeId::root().child("task.a"), Duration::ZERO);
        event(EventKind::AttemptFailed { id, attempt, attempts: u32::MAX, wait, reason: String::new() })
    }

    #[tokio::test]
    async fn progress_that_nobody_hears_is_left_out_and_results_are_not() {
        let (mut send, mut receive) = queue();
        let result = Box::new(ResourceReport::new(NodeId::root().child("task.b"), Outcome::Changed));
        for attempt in 0..5_000 {
            send.send(failed(attempt));
            send.send(event(EventKind::ResourceFinished(result.clone())));
        }
        send.flush();
        let (mut progress, mut results, mut left_out) = (0, 0, 0);
        let mut next = async || poll_fn(|cx| receive.poll_next(cx)).await.unwrap();
        while results < 5_000 {
            match next().await.kind {
                EventKind::AttemptFailed { .. } => progress += 1,
                EventKind::ProgressLeftOut { events } => left_out += events,
                _ => results += 1,
            }
        }
        assert_eq!((progress, left_out), (MAX_PROGRESS, 5_000 - MAX_PROGRESS));
        // There is room again.
        send.send(failed(0));
        send.flush();
        assert!(next().await.kind.is_progress());
    }
}
