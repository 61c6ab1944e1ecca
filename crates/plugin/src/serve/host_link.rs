//! The connection to the host: requests of tasks and the answers to them.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};

use tokio::sync::oneshot;

use super::super::protocol::{Answer, FromPlugin, Question, WireSystemError, line};
use crate::system::{OutputStream, OutputWatch, SystemError, SystemErrorKind};

#[derive(Debug)]
pub(super) struct Link {
    out: Mutex<File>,
    waiting: Mutex<HashMap<u64, Waiting>>,
    next: AtomicU64,
}

/// A request that waits for an answer, and the watcher of its output.
#[derive(Debug)]
struct Waiting {
    answer: Waiter,
    watch: Option<OutputWatch>,
}

#[derive(Debug)]
enum Waiter {
    Task(oneshot::Sender<Answer>),
    Thread(mpsc::Sender<Answer>),
}

/// The current call of a task.
///
/// A task has one call at a time. Handles that stay open over several calls make their requests in the
/// current one.
#[derive(Debug)]
pub(super) struct Current {
    task: u64,
    call: AtomicU64,
}

impl Current {
    pub(super) fn new(task: u64) -> Self {
        Self { task, call: AtomicU64::new(0) }
    }

    pub(super) fn set(&self, call: u64) {
        self.call.store(call, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.call.load(Ordering::Relaxed)
    }
}

impl Link {
    pub(super) fn new(out: File) -> Self {
        Self { out: Mutex::new(out), waiting: Mutex::default(), next: AtomicU64::new(1) }
    }

    /// Sends a message.
    ///
    /// Write errors are ignored: the reader notices when the host is gone.
    pub(super) fn send(&self, message: &FromPlugin) {
        let Ok(line) = line(message) else { return };
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        drop(out.write_all(&line));
    }

    /// Tells the host that a handle is no longer needed.
    pub(super) fn close(&self, current: &Current, handle: u64) {
        self.send(&FromPlugin::Close { task: current.task, handle });
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn answer(&self, ask: u64, answer: Answer) {
        // The requester may no longer wait.
        let Some(waiting) = self.waiting().remove(&ask) else { return };
        match waiting.answer {
            Waiter::Task(task) => drop(task.send(answer)),
            Waiter::Thread(thread) => drop(thread.send(answer)),
        }
    }

    pub(super) fn printed(&self, ask: u64, stream: OutputStream, bytes: &[u8]) {
        let watch = self.waiting().get(&ask).and_then(|waiting| waiting.watch.clone());
        if let Some(watch) = watch {
            watch.printed(stream, bytes);
        }
    }

    fn begin(&self, call: u64, question: impl Question, waiting: Waiting) -> Result<u64, SystemError> {
        let ask = self.next.fetch_add(1, Ordering::Relaxed);
        let question = question.into_ask();
        let name = question.name();
        let question = serde_json::to_value(question)
            .map_err(|error| SystemError::other("ask", name, SystemErrorKind::Other(error.to_string())))?;
        self.waiting().insert(ask, waiting);
        self.send(&FromPlugin::Ask { call, ask, question });
        Ok(ask)
    }

    /// Sends a request and waits for the answer.
    ///
    /// Dropping the future tells the host to forget the request.
    pub(super) async fn ask<Q: Question>(
        &self,
        current: &Current,
        question: Q,
        watch: Option<OutputWatch>,
    ) -> Result<Q::Answer, SystemError> {
        let (sender, receiver) = oneshot::channel();
        let call = current.get();
        let ask = self.begin(call, question, Waiting { answer: Waiter::Task(sender), watch })?;
        let guard = OpenRequest { link: self, call, ask };
        let answer = receiver.await;
        std::mem::forget(guard);
        match answer {
            Ok(answer) => read::<Q>(answer),
            Err(_) => Err(gone()),
        }
    }

    /// Sends a request and blocks the thread.
    ///
    /// Only for requests that a system answers at once.
    pub(super) fn ask_now<Q: Question>(
        &self,
        current: &Current,
        question: Q,
    ) -> Result<Q::Answer, SystemError> {
        let (sender, receiver) = mpsc::channel();
        self.begin(current.get(), question, Waiting { answer: Waiter::Thread(sender), watch: None })?;
        match receiver.recv() {
            Ok(answer) => read::<Q>(answer),
            Err(_) => Err(gone()),
        }
    }
}

fn gone() -> SystemError {
    SystemError::other("ask", "the host", SystemErrorKind::Cancelled)
}

fn read<Q: Question>(answer: Answer) -> Result<Q::Answer, SystemError> {
    let answer = answer.map_err(WireSystemError::into_error)?;
    serde_json::from_value(answer).map_err(|error| {
        SystemError::other("understand", "the host", SystemErrorKind::Other(error.to_string()))
    })
}

/// A request without an answer.
///
/// Dropping it tells the host to forget the request.
struct OpenRequest<'a> {
    link: &'a Link,
    call: u64,
    ask: u64,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        if self.link.waiting().remove(&self.ask).is_some() {
            self.link.send(&FromPlugin::Forget { call: self.call, ask: self.ask });
        }
    }
}
