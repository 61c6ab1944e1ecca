//! The events between a run and who listens to it.
//!
//! A run never waits for its listener. What may wait to be heard is bounded all the same: of each resource there are
//! two results, and of the run a handful. What tells only of progress has so much room, and is left out and counted when
//! there is no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::vec;

use tokio::sync::mpsc;

use super::event::{Event, EventKind};

/// How many events are handed over at once, at most. Waking a listener costs more than an event.
const AT_ONCE: usize = 256;

/// How many events that tell of progress may wait to be heard.
const PROGRESS: usize = 1024;

/// How many of them may wait when a line of output comes, so that one program that prints does not hide all else.
const LINES: usize = PROGRESS / 4 * 3;

/// The room for events that tell of progress.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// Those that were not heard yet.
    waiting: AtomicUsize,
    /// Those that were left out since one was told.
    left_out: AtomicUsize,
}

impl Room {
    /// Takes the room of one event; `false` when there is none, and the event is counted as left out.
    pub(super) fn take(&self) -> bool {
        self.take_of(PROGRESS)
    }

    /// The same for a line of output.
    pub(super) fn take_for_line(&self) -> bool {
        self.take_of(LINES)
    }

    fn take_of(&self, most: usize) -> bool {
        let more = |waiting| (waiting < most).then_some(waiting + 1);
        let taken = self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        if !taken {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }

    /// An event was heard, or will not be.
    pub(super) fn give_back(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The end of the run.
#[derive(Debug)]
pub(super) struct EventSender {
    batch: Vec<Event>,
    send: mpsc::UnboundedSender<Vec<Event>>,
    room: Arc<Room>,
}

/// The end of the listener.
#[derive(Debug)]
pub(super) struct EventReceiver {
    batch: vec::IntoIter<Event>,
    receive: mpsc::UnboundedReceiver<Vec<Event>>,
    room: Arc<Room>,
}

pub(super) fn queue() -> (EventSender, EventReceiver) {
    let (send, receive) = mpsc::unbounded_channel();
    let room = Arc::new(Room::default());
    let sender = EventSender { batch: Vec::new(), send, room: Arc::clone(&room) };
    (sender, EventReceiver { batch: Vec::new().into_iter(), receive, room })
}

impl EventSender {
    pub(super) fn room(&self) -> &Arc<Room> {
        &self.room
    }

    /// Sends an event. What tells of progress is left out when there is no room for it.
    pub(super) fn send(&mut self, event: Event) {
        if !event.kind.is_progress() || self.room.take() {
            self.send_with_room(event);
        }
    }

    /// Sends an event that has its room.
    pub(super) fn send_with_room(&mut self, event: Event) {
        let left_out = self.room.left_out.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            let kind = EventKind::ProgressLeftOut { events: left_out };
            self.batch.push(Event { kind, run: event.run.clone(), time: event.time });
        }
        self.batch.push(event);
        if self.batch.len() >= AT_ONCE {
            self.flush();
        }
    }

    pub(super) fn flush(&mut self) {
        if !self.batch.is_empty() {
            // The next one is about as long. Room for the longest would be held by all that wait to be heard.
            let next = Vec::with_capacity(self.batch.len());
            let batch = std::mem::replace(&mut self.batch, next);
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
    use crate::engine::outcome::Outcome;
    use crate::engine::report::ResourceReport;
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
        assert_eq!((progress, left_out), (PROGRESS, 5_000 - PROGRESS));
        // There is room again.
        send.send(failed(0));
        send.flush();
        assert!(next().await.kind.is_progress());
    }
}
