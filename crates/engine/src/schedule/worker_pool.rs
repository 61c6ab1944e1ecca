//! The pool of workers, and the nodes that each of them works on.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::task::{self, Poll};

use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};
use tracing::Instrument as _;

use crate::graph::NodeIndex;
use crate::tables::run_tables::Shared;
use crate::work::attempt_progress::{Freshness, ResumePoint};
use crate::work::job::{Job, PendingApply};
use crate::work::worker;
use crate::work::worker_message::Message;

/// The number of messages handled before the coordinator looks at anything else.
const MAX_MESSAGES: usize = 16;

/// Work for one worker, as opposed to nodes that any worker takes from the queue.
#[expect(clippy::large_enum_variant, reason = "there are few of them, and they are moved twice")]
pub(super) enum WorkItem {
    /// A node on which work has begun.
    Resume(Job, ResumePoint),
    Batch(Vec<PendingApply>, Freshness),
}

impl WorkItem {
    pub(super) fn nodes(&self) -> Vec<NodeIndex> {
        match self {
            Self::Resume(job, _) => vec![job.index],
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
                WorkItem::Resume(job, at) => {
                    self.workers.spawn(worker::resume(shared, send, job, at).instrument(span))
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

    /// Sets the node that a worker is at after it has reported all of its work.
    pub(super) fn set_current(&mut self, worker: Id, node: Option<NodeIndex>) {
        match node {
            Some(node) => self.nodes.insert(worker, vec![node]),
            None => self.nodes.remove(&worker),
        };
    }

    /// Removes and returns the nodes of a lost worker.
    pub(super) fn take_nodes(&mut self, worker: Id) -> Vec<NodeIndex> {
        self.nodes.remove(&worker).unwrap_or_default()
    }

    /// Takes back the work that waits for a worker.
    pub(super) fn take_back(&mut self) -> VecDeque<WorkItem> {
        std::mem::take(&mut self.waiting)
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
