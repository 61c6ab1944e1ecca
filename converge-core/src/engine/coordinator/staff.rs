//! The workers, and what each of them is at.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::task::{self, Poll};

use tokio::sync::mpsc;
use tokio::task::{Id, JoinError, JoinSet};

use crate::engine::attempt::{At, Seen};
use crate::engine::job::{Held, Job};
use crate::engine::shared::Shared;
use crate::engine::worker::{self, Message};
use crate::graph::NodeIndex;

/// How many messages are handled before the coordinator looks at anything else.
const MESSAGES: usize = 16;

/// Work that is handed to one worker, beside what all may take from the queue.
#[expect(clippy::large_enum_variant, reason = "there are few of them, and they are moved twice")]
pub(super) enum Work {
    /// One node, on which work was begun.
    Resume(Job, At),
    /// Nodes that are applied together.
    Batch(Vec<Held>, Seen),
}

impl Work {
    fn nodes(&self) -> Vec<NodeIndex> {
        match self {
            Self::Resume(job, _) => vec![job.index],
            Self::Batch(held, _) => held.iter().map(|held| held.job.index).collect(),
        }
    }
}

/// What the staff has to say.
pub(super) enum Report {
    Messages,
    Ended(Result<Id, JoinError>),
}

pub(super) struct Staff {
    shared: Arc<Shared>,
    places: usize,
    workers: JoinSet<()>,
    /// What each worker is at that takes nodes from the queue.
    current: HashMap<Id, NodeIndex>,
    /// What was handed to each of the others.
    handed: HashMap<Id, Vec<NodeIndex>>,
    /// What waits for a place, in order. It comes before what is in the queue.
    waiting: VecDeque<Work>,
    send: mpsc::UnboundedSender<Message>,
    receive: mpsc::UnboundedReceiver<Message>,
}

impl Staff {
    pub(super) fn new(shared: Arc<Shared>, places: usize) -> Self {
        let (send, receive) = mpsc::unbounded_channel();
        Self {
            shared,
            places,
            workers: JoinSet::new(),
            current: HashMap::new(),
            handed: HashMap::new(),
            waiting: VecDeque::new(),
            send,
            receive,
        }
    }

    pub(super) fn hand(&mut self, work: Work) {
        self.waiting.push_back(work);
    }

    /// Starts workers for what waits.
    pub(super) fn fill(&mut self) {
        while self.workers.len() < self.places
            && let Some(work) = self.waiting.pop_front()
        {
            let (shared, send, nodes) = (Arc::clone(&self.shared), self.send.clone(), work.nodes());
            let handle = match work {
                Work::Resume(job, at) => self.workers.spawn(worker::resume(shared, send, job, at)),
                Work::Batch(held, seen) => self.workers.spawn(worker::apply_batch(shared, send, held, seen)),
            };
            self.handed.insert(handle.id(), nodes);
        }
        self.shared.ask_for_relief(!self.waiting.is_empty());
        let wanted = self.shared.queue.waiting().min(self.places - self.workers.len());
        for _ in 0..wanted {
            self.workers.spawn(worker::work(Arc::clone(&self.shared), self.send.clone()));
        }
    }

    pub(super) fn is_at(&mut self, worker: Id, node: Option<NodeIndex>) {
        match node {
            Some(node) => drop(self.current.insert(worker, node)),
            None => self.is_done(worker),
        }
    }

    /// A worker told all that it did.
    pub(super) fn is_done(&mut self, worker: Id) {
        if self.current.remove(&worker).is_none() {
            self.handed.remove(&worker);
        }
    }

    /// The nodes that a lost worker was at.
    pub(super) fn lost(&mut self, worker: Id) -> Vec<NodeIndex> {
        let current = self.current.remove(&worker);
        current.into_iter().chain(self.handed.remove(&worker).unwrap_or_default()).collect()
    }

    /// Takes back the work that waits for a place.
    pub(super) fn take_back(&mut self) -> VecDeque<Work> {
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn abort_all(&mut self) {
        self.workers.abort_all();
    }

    /// The next message, when one is there already.
    pub(super) fn message(&mut self) -> Option<Message> {
        self.receive.try_recv().ok()
    }

    pub(super) fn poll(&mut self, cx: &mut task::Context<'_>, messages: &mut Vec<Message>) -> Poll<Report> {
        if self.receive.poll_recv_many(cx, messages, MESSAGES).is_ready() {
            return Poll::Ready(Report::Messages);
        }
        match self.workers.poll_join_next_with_id(cx) {
            Poll::Ready(Some(ended)) => Poll::Ready(Report::Ended(ended.map(|(id, ())| id))),
            _ => Poll::Pending,
        }
    }
}
