//! The workers, which run jobs of nodes.

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
use super::outbox::{CloseOutbox, MAX_UNSENT, Outbox};
use super::worker_message::Message;
use crate::events::progress::ProgressReceiver;
use crate::graph::NodeIndex;
use crate::tables::partial_reports::Stopwatch;
use crate::tables::run_tables::Shared;

/// The time that a worker spends on nodes that never wait before it sends its results and yields.
///
/// Yielding lets the coordinator run, which may have to pass on an interrupt.
const SLICE: Duration = Duration::from_millis(1);

/// Runs jobs until the queue is empty or paused.
///
/// Idle workers end. The coordinator starts another one when there is work, which costs as much as waking
/// one.
pub(crate) async fn work(shared: Arc<Shared>, send: UnboundedSender<Message>) {
    let mut rested = Instant::now();
    let mut current_stage = rested;
    let outbox = Outbox::new(&shared, send, tokio::task::id());
    let progress_sink: Arc<dyn ProgressReceiver> = Arc::<Outbox>::clone(&outbox);
    let _close = CloseOutbox(Arc::clone(&outbox));
    while let Some(index) = shared.queue.take() {
        outbox.begin(index, current_stage);
        let span = span(&shared, index);
        // The span is entered for each poll: `instrument` would move the large job, and most jobs end with
        // their first poll.
        let mut job = pin!(Job::begin(&shared, &progress_sink, index));
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
        status.add_elapsed(end - current_stage);
        current_stage = end;
        let waiting = outbox.done(index, status);
        let rest = current_stage - rested > SLICE;
        if rest || waiting >= MAX_UNSENT || shared.is_awaited(index) && !has_plenty(&shared, index) {
            outbox.flush();
        }
        if rest {
            tokio::task::yield_now().await;
            current_stage = Instant::now();
            rested = current_stage;
        }
    }
}

/// Whether the dependents of a node can wait, because every worker has enough to do.
///
/// Holders of a lock are reported at once.
fn has_plenty(shared: &Shared, index: NodeIndex) -> bool {
    !shared.holds_others(index) && shared.queue.waiting() >= MAX_UNSENT
}

/// Continues the job of one node.
pub(crate) async fn resume(
    shared: Arc<Shared>,
    send: UnboundedSender<Message>,
    job: Job,
    resume_point: ResumePoint,
) {
    let (worker, index) = (tokio::task::id(), job.index);
    let watch = Stopwatch::start(&shared.unfinished, vec![index]);
    let span = span(&shared, index);
    let progress_sink: Arc<dyn ProgressReceiver> = Arc::new(send.clone());
    let mut status = job.resume(&shared, &progress_sink, resume_point).instrument(span).await;
    status.add_elapsed(watch.elapsed());
    Message::Worked { worker, done: vec![(index, status)], current: None }.send(&send);
}

/// Applies a batch.
pub(crate) async fn apply_batch(
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
    let progress_sink: Arc<dyn ProgressReceiver> = Arc::new(send.clone());
    let mut members = batch::apply(&shared, &progress_sink, pending, freshness).await;
    for (job, _) in &mut members {
        shared.unfinished.take(job.index);
        job.report.elapsed += watch.elapsed();
    }
    Message::Applied { worker: tokio::task::id(), members }.send(&send);
}

/// Returns the span for the logs of a node.
fn span(shared: &Shared, index: NodeIndex) -> Span {
    tracing::info_span!("resource", id = %shared.graph.node(index).id)
}
