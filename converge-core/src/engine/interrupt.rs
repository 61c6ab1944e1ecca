//! How a run is asked to stop.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use tokio_util::sync::CancellationToken;

use super::event::InterruptKind;

/// Asks one run to stop, from any thread; every clone is the same interrupt.
///
/// A run [gives](super::Run::interrupt) its own, so what is asked of one run never concerns the next. To stop several runs,
/// and those that have not begun, give each the same token: [`cancel_on`](super::Run::cancel_on).
///
/// The first [`raise`](Self::raise) lets what is running finish, the second cancels it.
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
/// // The next one has an interrupt of its own.
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
    pub(super) fn new() -> Self {
        let raised = Arc::new(AtomicBool::new(false));
        Self { raised, finish: CancellationToken::new(), cancel: CancellationToken::new() }
    }

    /// Asks once more, and says what was asked for.
    pub fn raise(&self) -> InterruptKind {
        if self.raised.swap(true, Ordering::SeqCst) {
            self.cancel.cancel();
            InterruptKind::Cancel
        } else {
            self.finish.cancel();
            InterruptKind::Finish
        }
    }

    /// Lets what is running finish, and starts nothing more.
    pub fn finish(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.finish.cancel();
    }

    /// Cancels what is running, and starts nothing more.
    pub fn cancel(&self) {
        self.raised.store(true, Ordering::SeqCst);
        self.cancel.cancel();
    }

    /// What was asked for so far by this interrupt.
    pub fn raised(&self) -> Option<InterruptKind> {
        match (self.finish.is_cancelled(), self.cancel.is_cancelled()) {
            (_, true) => Some(InterruptKind::Cancel),
            (true, false) => Some(InterruptKind::Finish),
            (false, false) => None,
        }
    }
}

/// All that can ask one run to stop.
#[derive(Debug)]
pub(super) struct Stops(Vec<(InterruptKind, CancellationToken)>);

impl Stops {
    /// The interrupt of the run.
    pub(super) fn new(interrupt: &Interrupt) -> Self {
        let Interrupt { raised: _, finish, cancel } = interrupt.clone();
        Self(vec![(InterruptKind::Finish, finish), (InterruptKind::Cancel, cancel)])
    }

    pub(super) fn add(&mut self, kind: InterruptKind, token: CancellationToken) {
        self.0.push((kind, token));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(InterruptKind, CancellationToken)> {
        self.0.iter()
    }

    /// Waits for something until any of them asks for a stop; then there is nothing.
    pub(super) async fn run_until<T>(&self, something: impl Future<Output = T>) -> Option<T> {
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
