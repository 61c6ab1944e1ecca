//! A supervisor that restarts a function.
//!
//! A [`Supervisor`] runs a function while a lease is held and no stop is requested, and restarts it when it
//! fails. A run begins only after the previous one has ended.

use std::error::Error;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

mod status;
#[cfg(test)]
mod tests;

pub use status::{Phase, SupervisorStatus};

use super::panic::contained;
use super::restart_delay::Flapping;
use crate::clock::Random;

/// The reason why a run failed.
pub type RunError = Box<dyn Error + Send + Sync>;

/// The signals that tell a run to end.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    finish: CancellationToken,
    abandon: CancellationToken,
}

impl Ending {
    /// Resolves when the run should finish its current work, and begin nothing more.
    pub async fn finish(&self) {
        self.finish.cancelled().await;
    }

    /// Resolves when the run has to end at once, because another server may be doing the same already.
    pub async fn abandon(&self) {
        self.abandon.cancelled().await;
    }
}

/// A supervisor that restarts a function; see [the module](self).
#[derive(Debug)]
pub struct Supervisor {
    flapping: Flapping,
    state: Arc<Mutex<State>>,
}

/// A handle that reports the status of a [`Supervisor`].
#[derive(Clone, Debug)]
pub struct SupervisorHandle(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    phase: Phase,
    /// The end of the delay, in [`Phase::Restarting`].
    until: Option<Instant>,
    runs: u64,
    last_error: Option<String>,
}

impl Supervisor {
    /// Creates a supervisor; the random numbers spread its delays.
    pub fn new(random: Random) -> Self {
        let state = State { phase: Phase::Waiting, until: None, runs: 0, last_error: None };
        Self { flapping: Flapping::new(random), state: Arc::new(Mutex::new(state)) }
    }

    /// Returns a handle that reports the status.
    pub fn handle(&self) -> SupervisorHandle {
        SupervisorHandle(Arc::clone(&self.state))
    }

    /// Runs `run` until it ends without an error or `stop` is cancelled.
    ///
    /// After `stop`, it waits until the current run has finished. Each run receives the current holding of
    /// the lease. It is told to [finish](Ending::finish) by `stop`, and to [end at once](Ending::abandon)
    /// when the holding is lost.
    pub async fn run<L, F>(
        mut self,
        mut lease: watch::Receiver<Option<L>>,
        stop: CancellationToken,
        mut run: impl FnMut(L, Ending) -> F,
    ) where
        L: Clone + PartialEq,
        F: Future<Output = Result<(), RunError>>,
    {
        loop {
            self.enter(Phase::Waiting, None);
            let lease_value = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                held = holding(&mut lease) => held,
            };
            // The source of the lease is gone, so the lease will never be held.
            let Some(lease_value) = lease_value else { break };

            self.begin_run();
            let began = Instant::now();
            match one_run(&mut lease, &lease_value, &stop, &mut run).await {
                Ended::Finished => break,
                Ended::LeaseLost => self.flapping.forget(),
                Ended::Failed(error) => {
                    tracing::warn!(%error, "failed, and begins again");
                    self.lock().last_error = Some(error);
                    let wait = self.flapping.ended_after(began.elapsed());
                    self.enter(Phase::Restarting, Some(Instant::now() + wait));
                    tokio::select! {
                        biased;
                        () = stop.cancelled() => break,
                        () = lost(&mut lease, &lease_value) => self.flapping.forget(),
                        () = sleep(wait) => {}
                    }
                }
            }
        }
    }

    fn begin_run(&self) {
        self.enter(Phase::Running, None);
        self.lock().runs += 1;
    }

    fn enter(&self, phase: Phase, deadline: Option<Instant>) {
        let mut state = self.lock();
        state.phase = phase;
        state.until = deadline;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Supervisor {
    /// Marks the supervisor as stopped, also when its future is dropped during a run.
    fn drop(&mut self) {
        self.enter(Phase::Stopped, None);
    }
}

impl SupervisorHandle {
    /// Returns the current status.
    pub fn status(&self) -> SupervisorStatus {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        SupervisorStatus {
            phase: state.phase,
            restart_in: state.until.map(|deadline| deadline.saturating_duration_since(Instant::now())),
            restarts: state.runs.saturating_sub(1),
            last_error: state.last_error.clone(),
        }
    }
}

enum Ended {
    /// The function ended without an error, so nothing is left to run.
    Finished,
    LeaseLost,
    Failed(String),
}

/// Runs the function once, until it ends.
async fn one_run<L, F>(
    lease: &mut watch::Receiver<Option<L>>,
    held: &L,
    stop: &CancellationToken,
    run: &mut impl FnMut(L, Ending) -> F,
) -> Ended
where
    L: Clone + PartialEq,
    F: Future<Output = Result<(), RunError>>,
{
    let ending = Ending::default();
    let running = contained(async { run(held.clone(), ending.clone()).await });
    let mut running = std::pin::pin!(running);
    let mut stopping = false;
    let result = loop {
        tokio::select! {
            biased;
            () = lost(lease, held) => {
                ending.abandon.cancel();
                let _ = running.await;
                return if stopping { Ended::Finished } else { Ended::LeaseLost };
            }
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                ending.finish.cancel();
            }
            result = &mut running => break result,
        }
    };
    match result {
        _ if stopping => Ended::Finished,
        Ok(Ok(())) => Ended::Finished,
        Ok(Err(error)) => Ended::Failed(chain(&*error)),
        Err(panicked) => {
            tracing::error!(stack = panicked.stack(), "{panicked}");
            Ended::Failed(panicked.to_string())
        }
    }
}

/// Resolves when the lease is held, or to `None` when it never will be.
async fn holding<L: Clone>(lease: &mut watch::Receiver<Option<L>>) -> Option<L> {
    lease.wait_for(Option::is_some).await.ok().and_then(|value| value.clone())
}

/// Resolves when this holding has ended, even if a new holding exists by now.
async fn lost<L: PartialEq>(lease: &mut watch::Receiver<Option<L>>, lease_value: &L) {
    // The lease is also lost when its source is gone.
    let _ = lease.wait_for(|current| current.as_ref() != Some(lease_value)).await;
}

/// Formats an error with the chain of its causes.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        // The text of some errors already contains their source.
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
        source = error.source();
    }
    text
}
