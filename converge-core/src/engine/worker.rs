//! Works on nodes.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

use super::attempted::FailedAttempt;
use super::batch;
use super::job::{Job, JobStatus, PendingApply};
use super::message::Message;
use super::progress::{Freshness, ResumePoint};
use super::shared::Shared;
use super::unfinished::Stopwatch;
use crate::graph::NodeIndex;

/// How long a worker may work on nodes that never wait before it tells what it did and lets others have
/// the thread: the coordinator, which may have an interrupt to pass on, may be among them.
const SLICE: Duration = Duration::from_millis(1);

/// How many finished nodes are told of at once. Waking the coordinator costs more than checking a file.
const AT_ONCE: usize = 32;

/// Works until the queue is empty, or paused. Workers are not kept waiting for more: the
/// coordinator starts another one when there is something to do, which costs as much as waking one.
pub(super) async fn work(shared: Arc<Shared>, send: UnboundedSender<Message>) {
    let on_retry = on_retry(send.clone());
    let mut rested = Instant::now();
    let mut now = rested;
    let worker = tokio::task::id();
    let mut outbox = Outbox { shared: &shared, send, worker, done: Vec::new(), current: None, began: now };
    while let Some(index) = shared.queue.take() {
        // From here on the coordinator learns of it, even if the job panics.
        outbox.current = Some(index);
        outbox.began = now;
        let mut job = pin!(Job::begin(&shared, &on_retry, index).instrument(span(&shared, index)));
        let first = poll_fn(|cx| Poll::Ready(job.as_mut().poll(cx))).await;
        let mut status = match first {
            Poll::Ready(status) => status,
            Poll::Pending => {
                outbox.flush();
                job.await
            }
        };
        let end = Instant::now();
        status.add_elapsed(end - now);
        now = end;
        outbox.current = None;
        outbox.done.push((index, status));
        let rest = now - rested > SLICE;
        if rest || outbox.done.len() >= AT_ONCE || shared.is_awaited(index) && !has_plenty(&shared, index) {
            outbox.flush();
        }
        if rest {
            tokio::task::yield_now().await;
            now = Instant::now();
            rested = now;
        }
    }
}

/// Whether what waits for a node may go on waiting: every worker has enough to do until it is told of. What keeps a lock is told
/// of at once.
fn has_plenty(shared: &Shared, index: NodeIndex) -> bool {
    !shared.holds_others(index) && shared.queue.waiting() >= AT_ONCE
}

/// Goes on with the work on one node.
pub(super) async fn resume(shared: Arc<Shared>, send: UnboundedSender<Message>, job: Job, at: ResumePoint) {
    let (worker, index) = (tokio::task::id(), job.index);
    let watch = Stopwatch::start(&shared.unfinished, vec![index]);
    let span = span(&shared, index);
    let mut status = job.resume(&shared, &on_retry(send.clone()), at).instrument(span).await;
    status.add_elapsed(watch.elapsed());
    Message::Worked { worker, done: vec![(index, status)], current: None }.send(&send);
}

/// Applies nodes together.
pub(super) async fn apply_batch(
    shared: Arc<Shared>,
    send: UnboundedSender<Message>,
    pending: Vec<PendingApply>,
    freshness: Freshness,
) {
    let nodes = pending.iter().map(|member| member.job.index).collect();
    for PendingApply { job, .. } in &pending {
        shared.unfinished.keep(job.index, job.report.clone());
    }
    let watch = Stopwatch::start(&shared.unfinished, nodes);
    let mut members = batch::apply(&shared, pending, freshness).await;
    for (job, _) in &mut members {
        shared.unfinished.take(job.index);
        job.report.elapsed += watch.elapsed();
    }
    Message::Applied { worker: tokio::task::id(), members }.send(&send);
}

/// What logs of the work on a node are in.
fn span(shared: &Shared, index: NodeIndex) -> Span {
    tracing::info_span!("resource", id = %shared.graph.node(index).id)
}

fn on_retry(send: UnboundedSender<Message>) -> impl Fn(NodeIndex, FailedAttempt) + Sync {
    move |index, failed| Message::Retrying(index, Box::new(failed)).send(&send)
}

/// What the coordinator has not been told yet. It is told when this is dropped, at the latest: also by a
/// panic, and when the worker is aborted.
struct Outbox<'a> {
    shared: &'a Shared,
    send: UnboundedSender<Message>,
    worker: Id,
    done: Vec<(NodeIndex, JobStatus)>,
    current: Option<NodeIndex>,
    /// When the work on that began.
    began: Instant,
}

impl Outbox<'_> {
    fn flush(&mut self) {
        if self.done.is_empty() && self.current.is_none() {
            return;
        }
        let done = std::mem::replace(&mut self.done, Vec::with_capacity(AT_ONCE));
        Message::Worked { worker: self.worker, done, current: self.current }.send(&self.send);
    }
}

impl Drop for Outbox<'_> {
    fn drop(&mut self) {
        // What it was at is cut off.
        let cut_off = self.current.into_iter().collect();
        drop(Stopwatch::since(self.began, &self.shared.unfinished, cut_off));
        self.flush();
    }
}
