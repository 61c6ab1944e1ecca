//! The handle of a run that proceeds in the background.

use std::future::{Future, IntoFuture, poll_fn};
use std::panic::resume_unwind;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use tokio::task::{AbortHandle, JoinError, JoinHandle};

use crate::events::error::EngineError;
use crate::events::event::Event;
use crate::events::event_queue::EventReceiver;
use crate::events::interrupt::Interrupt;
use crate::events::summary::Summary;
use crate::sdk::context::RunId;

/// A handle to a run in the background: a [`Stream`] of its events, and, awaited, its result.
///
/// Events are queued until they are read; the run does not wait. Events that are unread when the handle is
/// awaited are discarded.
///
/// Dropping the handle, or the future from awaiting it, cancels the run [gracefully](super::Run#stopping).
///
/// ```
/// use std::sync::Arc;
/// use converge_core::prelude::embed::*;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
/// # let registry = Registry::new();
/// # let graph = Loader::new(&registry).load_text("empty.hcl", "").into_graph()?;
/// let engine = Engine::new(Arc::new(LocalSystem::new()));
/// let mut run = engine.apply(&graph).spawn();
/// println!("{} begins", run.id().as_str());
/// while let Some(event) = run.next().await {
///     println!("{event:?}");
/// }
/// let summary = run.await?;
/// assert!(summary.is_success());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[must_use = "dropping the handle cancels the run"]
pub struct RunHandle<T = Summary, E = EngineError> {
    id: RunId,
    events: Option<EventReceiver>,
    /// The task of the run, or the reason why it could not begin.
    run: Result<JoinHandle<Result<T, E>>, EngineError>,
    guard: CancelOnDrop,
}

/// Cancels a run whose handle is dropped.
#[derive(Debug)]
struct CancelOnDrop {
    interrupt: Interrupt,
    task: Option<AbortHandle>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if self.task.as_ref().is_some_and(|task| !task.is_finished()) {
            self.interrupt.cancel();
        }
    }
}

impl<T, E> RunHandle<T, E> {
    pub(super) fn new(
        id: RunId,
        events: Option<EventReceiver>,
        run: Result<JoinHandle<Result<T, E>>, EngineError>,
        interrupt: Interrupt,
    ) -> Self {
        let guard = CancelOnDrop { interrupt, task: run.as_ref().ok().map(JoinHandle::abort_handle) };
        Self { id, events, run, guard }
    }

    /// Returns the id of the run.
    pub fn id(&self) -> &RunId {
        &self.id
    }

    /// Cancels running work. Await the handle for the result.
    pub fn cancel(&self) {
        self.interrupt().cancel();
    }

    /// Returns the interrupt of the run, which asks it to finish or to cancel.
    pub fn interrupt(&self) -> &Interrupt {
        &self.guard.interrupt
    }

    /// Whether the run is over.
    pub fn is_finished(&self) -> bool {
        self.run.as_ref().map_or(true, JoinHandle::is_finished)
    }

    /// Waits for the next event, or `None` if there are no more. No event is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    pub(super) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.events.as_mut().map_or(Poll::Ready(None), |events| events.poll_next(cx))
    }
}

impl<T, E> Stream for RunHandle<T, E> {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        self.get_mut().poll_event(cx)
    }
}

impl<T, E> IntoFuture for RunHandle<T, E>
where
    T: Send + 'static,
    E: From<EngineError> + Send + 'static,
{
    type Output = Result<T, E>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let Self { id: _, events, run, guard } = self;
        // Events sent from now on are not kept.
        drop(events);
        Box::pin(async move {
            let ended = run?.await;
            drop(guard);
            ended.unwrap_or_else(|error| Err(lost(error)))
        })
    }
}

/// Returns the error of a run whose task is gone. A panic is resumed in the caller.
fn lost<E: From<EngineError>>(error: JoinError) -> E {
    match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_) => EngineError::RuntimeGone.into(),
    }
}
