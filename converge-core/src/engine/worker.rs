//! What takes nodes from the queue and works on them.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;
use tokio::time::Instant;

use super::job::{self, Done};
use super::shared::Shared;
use crate::graph::NodeIndex;

/// How long a worker may work on nodes that never wait before it tells what it did and lets others have
/// the thread: the coordinator, which may have an interrupt to pass on, may be among them.
const SLICE: Duration = Duration::from_millis(1);

/// How many finished nodes are told of at once. Waking the coordinator costs more than checking a file.
const BATCH: usize = 32;

/// What a worker tells the coordinator: what it did since the last message, in that order.
pub(super) struct Message {
    pub(super) worker: Id,
    pub(super) finished: Vec<(NodeIndex, Done)>,
    /// What it is at now.
    pub(super) begun: Option<NodeIndex>,
}

/// Works until the queue is empty. Workers are not kept waiting for more: the coordinator starts
/// another one when there is something to do, which costs as much as waking one.
pub(super) async fn work(shared: Arc<Shared>, send: UnboundedSender<Message>) {
    let mut outbox = Outbox { send, worker: tokio::task::id(), finished: Vec::new(), begun: None };
    let mut rested = Instant::now();
    let mut now = rested;
    while let Some(index) = shared.queue.take() {
        // From here on the coordinator learns of it, even if the job panics.
        outbox.begun = Some(index);
        let mut job = pin!(job::run(&shared, index));
        let first = poll_fn(|cx| Poll::Ready(job.as_mut().poll(cx))).await;
        let mut done = match first {
            Poll::Ready(done) => done,
            Poll::Pending => {
                outbox.flush();
                job.await
            }
        };
        let end = Instant::now();
        done.report.elapsed = end - now;
        now = end;
        outbox.begun = None;
        outbox.finished.push((index, done));
        let rest = now - rested > SLICE;
        if rest || outbox.finished.len() >= BATCH || shared.is_awaited(index) {
            outbox.flush();
        }
        if rest {
            tokio::task::yield_now().await;
            now = Instant::now();
            rested = now;
        }
    }
}

/// What the coordinator has not been told yet. It is told when this is dropped, at the latest: also by a
/// panic, and when the worker is aborted.
struct Outbox {
    send: UnboundedSender<Message>,
    worker: Id,
    finished: Vec<(NodeIndex, Done)>,
    begun: Option<NodeIndex>,
}

impl Outbox {
    fn flush(&mut self) {
        if self.finished.is_empty() && self.begun.is_none() {
            return;
        }
        let finished = std::mem::replace(&mut self.finished, Vec::with_capacity(BATCH));
        // When nobody listens any more the run was dropped, and this task with it.
        let _ = self.send.send(Message { worker: self.worker, finished, begun: self.begun });
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.flush();
    }
}
