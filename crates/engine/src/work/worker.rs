//! The workers, which run jobs of nodes.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;
use tracing::Span;

use super::attempt_progress::{Freshness, ResumePoint};
use super::batch;
use super::job::{Job, JobStatus, PendingApply};
use super::outbox::{MAX_UNSENT, Outbox};
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
    let mut shift = Shift::begin(&shared, send);
    let progress_sink = shift.progress_sink();
    while let Some(index) = shared.queue.take() {
        shift.run(index, Job::begin(&shared, &progress_sink, index), || {}).await;
        if shift.is_over() {
            shift.yield_now().await;
        }
    }
}

/// Continues jobs, one after the other.
///
/// The rest of them is given back as soon as one has to wait.
pub(crate) async fn resume(shared: Arc<Shared>, send: UnboundedSender<Message>, mut jobs: JobsToResume) {
    let mut shift = Shift::begin(&shared, send);
    let progress_sink = shift.progress_sink();
    while let Some((job, resume_point)) = jobs.next() {
        let index = job.index;
        let job = job.resume(&shared, &progress_sink, resume_point);
        shift.run(index, job, || jobs.give_back()).await;
        if shift.is_over() {
            jobs.give_back();
        }
    }
}

/// Jobs that one worker continues. Those that it does not come to go back to the coordinator.
pub(crate) struct JobsToResume {
    jobs: VecDeque<(Job, ResumePoint)>,
    send: UnboundedSender<Message>,
}

impl JobsToResume {
    pub(crate) fn new(jobs: Vec<(Job, ResumePoint)>, send: UnboundedSender<Message>) -> Self {
        Self { jobs: jobs.into(), send }
    }

    fn next(&mut self) -> Option<(Job, ResumePoint)> {
        self.jobs.pop_front()
    }

    fn give_back(&mut self) {
        if !self.jobs.is_empty() {
            Message::GivenBack(mem::take(&mut self.jobs).into()).send(&self.send);
        }
    }
}

impl Drop for JobsToResume {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// The work of one worker.
///
/// When it is dropped, also after a panic or an abort, the rest of its results is sent.
struct Shift<'a> {
    shared: &'a Arc<Shared>,
    outbox: Arc<Outbox>,
    /// The end of the last rest.
    rested: Instant,
    /// The end of the last job.
    worked: Instant,
}

impl Drop for Shift<'_> {
    fn drop(&mut self) {
        self.outbox.close();
    }
}

impl<'a> Shift<'a> {
    fn begin(shared: &'a Arc<Shared>, send: UnboundedSender<Message>) -> Self {
        let now = Instant::now();
        Self { shared, outbox: Outbox::new(shared, send, tokio::task::id()), rested: now, worked: now }
    }

    fn progress_sink(&self) -> Arc<dyn ProgressReceiver> {
        Arc::<Outbox>::clone(&self.outbox)
    }

    /// Runs the job of a node, and calls `waits` if it is not done at once.
    async fn run(&mut self, index: NodeIndex, job: impl Future<Output = JobStatus>, waits: impl FnOnce()) {
        self.outbox.begin(index, self.worked);
        let span = span(self.shared, index);
        // The span is entered for each poll: `instrument` would move the large job, and most jobs end with
        // their first poll.
        let mut job = pin!(job);
        let mut poll = |cx: &mut Context<'_>| span.in_scope(|| job.as_mut().poll(cx));
        let first = poll_fn(|cx| Poll::Ready(poll(cx))).await;
        let mut status = match first {
            Poll::Ready(status) => status,
            Poll::Pending => {
                self.outbox.announce();
                waits();
                poll_fn(poll).await
            }
        };
        let end = Instant::now();
        status.add_elapsed(end - self.worked);
        self.worked = end;
        let waiting = self.outbox.done(index, status);
        let is_wanted = self.shared.is_awaited(index) && !has_plenty(self.shared, index);
        if self.is_over() || waiting >= MAX_UNSENT || is_wanted {
            self.outbox.flush();
        }
    }

    /// Whether the worker should let others run.
    fn is_over(&self) -> bool {
        self.worked - self.rested > SLICE
    }

    async fn yield_now(&mut self) {
        tokio::task::yield_now().await;
        self.worked = Instant::now();
        self.rested = self.worked;
    }
}

/// Whether the dependents of a node can wait, because every worker has enough to do.
///
/// Holders of a lock are reported at once.
fn has_plenty(shared: &Shared, index: NodeIndex) -> bool {
    !shared.holds_others(index) && shared.queue.waiting() >= MAX_UNSENT
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
