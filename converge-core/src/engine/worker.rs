//! What works on nodes.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;
use tokio::time::Instant;

use super::attempt::{At, Seen};
use super::batch;
use super::job::{self, Held, Job, Step};
use super::shared::Shared;
use crate::graph::NodeIndex;

/// How long a worker may work on nodes that never wait before it tells what it did and lets others have
/// the thread: the coordinator, which may have an interrupt to pass on, may be among them.
const SLICE: Duration = Duration::from_millis(1);

/// How many finished nodes are told of at once. Waking the coordinator costs more than checking a file.
const AT_ONCE: usize = 32;

/// What the coordinator is told.
pub(super) enum Message {
    /// What a worker did since the last message, in that order.
    Worked {
        worker: Id,
        did: Vec<(NodeIndex, Step)>,
        /// What it is at now.
        begun: Option<NodeIndex>,
    },
    /// The members of a batch were applied, and the work on each goes on.
    Applied { worker: Id, members: Vec<(Job, At)> },
    /// A node failed and waits before it is tried again; what it held is free.
    TriesAgain(NodeIndex),
}

/// Works until the queue is empty, or somebody else needs the place. Workers are not kept waiting for more: the
/// coordinator starts another one when there is something to do, which costs as much as waking one.
pub(super) async fn work(shared: Arc<Shared>, send: UnboundedSender<Message>) {
    let tell = send.clone();
    let mut outbox = Outbox { send, worker: tokio::task::id(), did: Vec::new(), begun: None };
    let mut rested = Instant::now();
    let mut now = rested;
    while let Some(index) = shared.take() {
        // From here on the coordinator learns of it, even if the job panics.
        outbox.begun = Some(index);
        let mut job = pin!(job::begin(&shared, &tell, index));
        let first = poll_fn(|cx| Poll::Ready(job.as_mut().poll(cx))).await;
        let mut step = match first {
            Poll::Ready(step) => step,
            Poll::Pending => {
                outbox.flush();
                job.await
            }
        };
        let end = Instant::now();
        step.took(end - now);
        now = end;
        outbox.begun = None;
        outbox.did.push((index, step));
        let rest = now - rested > SLICE;
        if rest || outbox.did.len() >= AT_ONCE || shared.is_awaited(index) {
            outbox.flush();
        }
        if rest {
            tokio::task::yield_now().await;
            now = Instant::now();
            rested = now;
        }
    }
}

/// Goes on with the work on one node.
pub(super) async fn resume(shared: Arc<Shared>, send: UnboundedSender<Message>, job: Job, at: At) {
    let (worker, index, began) = (tokio::task::id(), job.index, Instant::now());
    let mut step = job::resume(&shared, &send, job, at).await;
    step.took(began.elapsed());
    // When nobody listens any more the run was dropped, and this task with it.
    let _ = send.send(Message::Worked { worker, did: vec![(index, step)], begun: None });
}

/// Applies nodes together.
pub(super) async fn apply_batch(
    shared: Arc<Shared>,
    send: UnboundedSender<Message>,
    held: Vec<Held>,
    seen: Seen,
) {
    let began = Instant::now();
    let mut members = batch::apply(&shared, held, seen).await;
    for (job, _) in &mut members {
        job.report.elapsed += began.elapsed();
    }
    let _ = send.send(Message::Applied { worker: tokio::task::id(), members });
}

/// What the coordinator has not been told yet. It is told when this is dropped, at the latest: also by a
/// panic, and when the worker is aborted.
struct Outbox {
    send: UnboundedSender<Message>,
    worker: Id,
    did: Vec<(NodeIndex, Step)>,
    begun: Option<NodeIndex>,
}

impl Outbox {
    fn flush(&mut self) {
        if self.did.is_empty() && self.begun.is_none() {
            return;
        }
        let did = std::mem::replace(&mut self.did, Vec::with_capacity(AT_ONCE));
        // When nobody listens any more the run was dropped, and this task with it.
        let _ = self.send.send(Message::Worked { worker: self.worker, did, begun: self.begun });
    }
}

impl Drop for Outbox {
    fn drop(&mut self) {
        self.flush();
    }
}
