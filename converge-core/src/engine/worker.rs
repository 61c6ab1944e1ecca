//! Works on nodes.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tracing::{Instrument as _, Span};

use super::attempt_progress::{Freshness, ResumePoint};
use super::batch;
use super::job::{Job, PendingApply};
use super::outbox::{AT_ONCE, CloseOutbox, Outbox};
use super::partial_reports::Stopwatch;
use super::progress_events::Tells;
use super::run_tables::Shared;
use super::worker_message::Message;
use crate::graph::NodeIndex;

/// How long a worker may work on nodes that never wait before it tells what it did and lets others have
/// the thread: the coordinator, which may have an interrupt to pass on, may be among them.
const SLICE: Duration = Duration::from_millis(1);

/// Works until the queue is empty, or paused. Workers are not kept waiting for more: the
/// coordinator starts another one when there is something to do, which costs as much as waking one.
pub(super) async fn work(shared: Arc<Shared>, send: UnboundedSender<Message>) {
    let mut rested = Instant::now();
    let mut now = rested;
    let outbox = Outbox::new(&shared, send, tokio::task::id());
    let tells: Arc<dyn Tells> = Arc::<Outbox>::clone(&outbox);
    let _close = CloseOutbox(Arc::clone(&outbox));
    while let Some(index) = shared.queue.take() {
        outbox.begin(index, now);
        let span = span(&shared, index);
        // It is entered for each poll, as `instrument` would move the job, which is large, and most end with their first.
        let mut job = pin!(Job::begin(&shared, &tells, index));
        let mut poll = |cx: &mut Context<'_>| span.in_scope(|| job.as_mut().poll(cx));
        let first = poll_fn(|cx| Poll::Ready(poll(cx))).await;
        let mut status = match first {
            Poll::Ready(status) => status,
            Poll::Pending => {
                outbox.announce();
                poll_fn(poll).await
            }
        };
        let end = Instant::now();
        status.add_elapsed(end - now);
        now = end;
        let waiting = outbox.done(index, status);
        let rest = now - rested > SLICE;
        if rest || waiting >= AT_ONCE || shared.is_awaited(index) && !has_plenty(&shared, index) {
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
    let tells: Arc<dyn Tells> = Arc::new(send.clone());
    let mut status = job.resume(&shared, &tells, at).instrument(span).await;
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
    let tells: Arc<dyn Tells> = Arc::new(send.clone());
    let mut members = batch::apply(&shared, &tells, pending, freshness).await;
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
