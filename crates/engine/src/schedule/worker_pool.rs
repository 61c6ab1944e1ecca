//! The pool of workers, and the nodes that each of them works on.

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::Arc;
use std::task::{self, Poll};

use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tracing::Instrument as _;

use crate::graph::NodeIndex;
use crate::tables::run_tables::Shared;
use crate::work::attempt_progress::{Freshness, ResumePoint};
use crate::work::job::{Job, PendingApply};
use crate::work::worker::{self, JobsToResume};
use crate::work::worker_message::Message;

/// The number of messages handled before the coordinator looks at anything else.
const MAX_MESSAGES: usize = 16;

/// Work for one worker, as opposed to nodes that any worker takes from the queue.
pub(super) enum WorkItem {
    /// Nodes on which work has begun.
    Resume(Vec<(Job, ResumePoint)>),
    Batch(Vec<PendingApply>, Freshness),
}

impl WorkItem {
    pub(super) fn nodes(&self) -> Vec<NodeIndex> {
        match self {
            Self::Resume(jobs) => jobs.iter().map(|(job, _)| job.index).collect(),
            Self::Batch(members, _) => members.iter().map(|member| member.job.index).collect(),
        }
    }
}

pub(super) enum PoolEvent {
    Messages,
    WorkerEnded(Result<Id, JoinError>),
}

pub(super) struct WorkerPool {
    shared: Arc<Shared>,
    places: usize,
    workers: JoinSet<()>,
    /// The nodes that each worker works on.
    nodes: HashMap<Id, Vec<NodeIndex>>,
    /// Work that waits for a free worker, in order. It takes precedence over the queue.
    waiting: VecDeque<WorkItem>,
    send: mpsc::UnboundedSender<Message>,
    receive: mpsc::UnboundedReceiver<Message>,
}

impl WorkerPool {
    pub(super) fn new(shared: Arc<Shared>, places: usize) -> Self {
        let (send, receive) = mpsc::unbounded_channel();
        Self {
            shared,
            places,
            workers: JoinSet::new(),
            nodes: HashMap::new(),
            waiting: VecDeque::new(),
            send,
            receive,
        }
    }

    pub(super) fn submit(&mut self, work: WorkItem) {
        self.waiting.push_back(work);
    }

    /// Starts workers for the waiting work.
    pub(super) fn start_workers(&mut self) {
        while self.workers.len() < self.places
            && let Some(work) = self.waiting.pop_front()
        {
            let (shared, send, nodes) = (Arc::clone(&self.shared), self.send.clone(), work.nodes());
            let span = self.shared.setup.span.clone();
            let handle = match work {
                WorkItem::Resume(jobs) => {
                    let jobs = JobsToResume::new(jobs, send.clone());
                    self.workers.spawn(worker::resume(shared, send, jobs).instrument(span))
                }
                WorkItem::Batch(members, freshness) => {
                    self.workers.spawn(worker::apply_batch(shared, send, members, freshness).instrument(span))
                }
            };
            self.nodes.insert(handle.id(), nodes);
        }
        self.shared.queue.pause(!self.waiting.is_empty());
        let count = self.shared.queue.waiting().min(self.places - self.workers.len());
        for _ in 0..count {
            let work = worker::work(Arc::clone(&self.shared), self.send.clone());
            self.workers.spawn(work.instrument(self.shared.setup.span.clone()));
        }
    }

    /// Records which nodes a worker has finished, and which one it is at.
    pub(super) fn has_worked(&mut self, worker: Id, done: &[NodeIndex], current: Option<NodeIndex>) {
        let nodes = self.nodes.entry(worker).or_default();
        nodes.retain(|node| !done.contains(node) && Some(*node) != current);
        nodes.extend(current);
        if nodes.is_empty() {
            self.nodes.remove(&worker);
        }
    }

    /// Continues jobs, with a fair share of them for each worker.
    pub(super) fn resume(&mut self, mut jobs: Vec<(Job, ResumePoint)>) {
        let share = jobs.len().div_ceil(self.places).max(1);
        while !jobs.is_empty() {
            let rest = jobs.split_off(share.min(jobs.len()));
            self.submit(WorkItem::Resume(mem::replace(&mut jobs, rest)));
        }
    }

    /// Records that jobs were given back by the worker that was to continue them.
    pub(super) fn given_back(&mut self, jobs: &[(Job, ResumePoint)]) {
        for nodes in self.nodes.values_mut() {
            nodes.retain(|node| jobs.iter().all(|(job, _)| job.index != *node));
        }
    }

    /// Removes and returns the nodes of a lost worker.
    pub(super) fn take_nodes(&mut self, worker: Id) -> Vec<NodeIndex> {
        self.nodes.remove(&worker).unwrap_or_default()
    }

    /// Takes back the work that waits for a worker.
    pub(super) fn take_back(&mut self) -> VecDeque<WorkItem> {
        mem::take(&mut self.waiting)
    }

    pub(super) fn abort_all(&mut self) {
        self.workers.abort_all();
    }

    /// Returns the next message if one is available.
    pub(super) fn message(&mut self) -> Option<Message> {
        self.receive.try_recv().ok()
    }

    pub(super) fn poll(
        &mut self,
        cx: &mut task::Context<'_>,
        messages: &mut Vec<Message>,
    ) -> Poll<PoolEvent> {
        if self.receive.poll_recv_many(cx, messages, MAX_MESSAGES).is_ready() {
            return Poll::Ready(PoolEvent::Messages);
        }
        match self.workers.poll_join_next_with_id(cx) {
            Poll::Ready(Some(ended)) => Poll::Ready(PoolEvent::WorkerEnded(ended.map(|(id, ())| id))),
            _ => Poll::Pending,
        }
    }
}
