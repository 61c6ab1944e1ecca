//! The outbox of a worker: finished nodes that have not been sent to the coordinator.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::Id;
use tokio::time::Instant;

use super::job::JobStatus;
use super::worker_message::Message;
use crate::events::progress::{JobProgress, ProgressReceiver};
use crate::graph::NodeIndex;
use crate::tables::partial_reports::Stopwatch;
use crate::tables::run_tables::Shared;

/// The number of finished nodes sent at once. Waking the coordinator costs more than checking a file.
pub(super) const MAX_UNSENT: usize = 32;

/// Buffers the results of a worker. Progress of a node is sent after all results before it.
pub(super) struct Outbox {
    shared: Arc<Shared>,
    send: UnboundedSender<Message>,
    worker: Id,
    /// Whether the coordinator knows the current node of the worker.
    announced: AtomicBool,
    open: Mutex<Open>,
}

struct Open {
    done: Vec<(NodeIndex, JobStatus)>,
    current: Option<Current>,
}

/// The current node of the worker.
struct Current {
    index: NodeIndex,
    /// The time at which the node began.
    began: Instant,
}

impl Outbox {
    pub(super) fn new(shared: &Arc<Shared>, send: UnboundedSender<Message>, worker: Id) -> Arc<Self> {
        let open = Mutex::new(Open { done: Vec::new(), current: None });
        Arc::new(Self { shared: Arc::clone(shared), send, worker, announced: AtomicBool::new(false), open })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the current node, which the coordinator then learns of even if the job panics.
    pub(super) fn begin(&self, index: NodeIndex, began: Instant) {
        self.announced.store(false, Ordering::Relaxed);
        self.open().current = Some(Current { index, began });
    }

    fn is_announced(&self) -> bool {
        self.announced.load(Ordering::Relaxed)
    }

    /// Sends the current node, once.
    pub(super) fn announce(&self) {
        if !self.is_announced() {
            self.flush();
        }
    }

    /// Records the result of the current node, and returns the number of unsent results.
    pub(super) fn done(&self, index: NodeIndex, status: JobStatus) -> usize {
        let mut open = self.open();
        open.current = None;
        open.done.push((index, status));
        open.done.len()
    }

    /// Sends all results.
    pub(super) fn flush(&self) {
        self.send(&mut self.open());
    }

    fn send(&self, open: &mut Open) {
        let current = open.current.as_ref().map(|current| (current.index, self.shared.stage(current.index)));
        self.announced.store(true, Ordering::Relaxed);
        if open.done.is_empty() && current.is_none() {
            return;
        }
        let reports = std::mem::replace(&mut open.done, Vec::with_capacity(MAX_UNSENT));
        Message::Worked { worker: self.worker, done: reports, current }.send(&self.send);
    }

    /// Sends the rest when the worker ends, and marks its current node as unfinished.
    pub(super) fn close(&self) {
        let mut open = self.open();
        if let Some(current) = &open.current {
            drop(Stopwatch::since(current.began, &self.shared.unfinished, vec![current.index]));
        }
        self.send(&mut open);
        open.current = None;
    }
}

impl ProgressReceiver for Outbox {
    fn tell(&self, index: NodeIndex, progress: JobProgress) {
        // A node that is done at once has no visible stages.
        if matches!(progress, JobProgress::Stage(_)) && !self.is_announced() {
            return;
        }
        self.announce();
        Message::Told(index, progress).send(&self.send);
    }
}
