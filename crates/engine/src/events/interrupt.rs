//! Interrupts, which ask a run to stop.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use tokio_util::sync::CancellationToken;

use super::event::InterruptKind;

/// A handle that asks one run to stop, from any thread; every clone is the same interrupt.
///
/// Each run [gives](crate::Run::interrupt) its own interrupt, so a request never affects the next run. To
/// stop several runs, including those not yet begun, give each the same token:
/// [`cancel_on`](crate::Run::cancel_on).
///
/// The first [`raise`](Self::raise) lets running work finish; the second cancels it.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::engine::InterruptKind;
/// use converge_core::prelude::embed::*;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let registry = Registry::new();
/// # let graph = Loader::new(&registry).load_text("empty.hcl", "").into_graph()?;
/// let engine = Engine::new(Arc::new(LocalSystem::new()));
/// let run = engine.apply(&graph);
/// let interrupt = run.interrupt().clone();
/// assert_eq!(interrupt.raise(), InterruptKind::Finish);
/// assert_eq!(interrupt.raise(), InterruptKind::Cancel);
/// run.await?;
/// // The next run has an interrupt of its own.
/// assert_eq!(engine.apply(&graph).interrupt().raised(), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
    finish: CancellationToken,
    cancel: CancellationToken,
}

impl Interrupt {
    pub(crate) fn new() -> Self {
        let raised = Arc::new(AtomicBool::new(false));
        Self { raised, finish: CancellationToken::new(), cancel: CancellationToken::new() }
    }

    /// Raises the interrupt by one step and returns the resulting kind.
    pub fn raise(&self) -> InterruptKind {
        if self.raised.swap(true, Ordering::SeqCst) {
            self.cancel.cancel();
            InterruptKind::Cancel
        } else {
            self.finish.cancel();
            InterruptKind::Finish
        }
    }

    /// Lets running work finish and starts nothing new.
    pub fn finish(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.finish.cancel();
    }

    /// Cancels running work and starts nothing new.
    pub fn cancel(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.cancel.cancel();
    }

    /// Returns the strongest kind raised so far by this interrupt.
    pub fn raised(&self) -> Option<InterruptKind> {
        match (self.finish.is_cancelled(), self.cancel.is_cancelled()) {
            (_, true) => Some(InterruptKind::Cancel),
            (true, false) => Some(InterruptKind::Finish),
            (false, false) => None,
        }
    }
}

/// The interrupts and tokens that can stop one run.
#[derive(Debug)]
pub(crate) struct Stops(Vec<(InterruptKind, CancellationToken)>);

impl Stops {
    /// Creates the set with the interrupt of the run.
    pub(crate) fn new(interrupt: &Interrupt) -> Self {
        let Interrupt { raised: _, finish, cancel } = interrupt.clone();
        Self(vec![(InterruptKind::Finish, finish), (InterruptKind::Cancel, cancel)])
    }

    pub(crate) fn add(&mut self, kind: InterruptKind, token: CancellationToken) {
        self.0.push((kind, token));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(InterruptKind, CancellationToken)> {
        self.0.iter()
    }

    /// Waits for a future until a stop is requested, and then returns `None`.
    pub(crate) async fn run_until<T>(&self, something: impl Future<Output = T>) -> Option<T> {
        let mut waits: Vec<_> = self.0.iter().map(|(_, token)| Box::pin(token.cancelled())).collect();
        let mut something = pin!(something);
        poll_fn(|cx| {
            if waits.iter_mut().any(|wait| wait.as_mut().poll(cx).is_ready()) {
                return Poll::Ready(None);
            }
            something.as_mut().poll(cx).map(Some)
        })
        .await
    }
}
