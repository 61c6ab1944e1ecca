//! Keeps something running.
//!
//! A [`Supervisor`] runs a function while a lease is held and nobody has asked to stop, and again when it fails. A run
//! begins only after the one before it has ended.

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

/// Why a run failed.
pub type RunError = Box<dyn Error + Send + Sync>;

/// How a run is told to end.
#[derive(Clone, Debug, Default)]
pub struct Ending {
    finish: CancellationToken,
    abandon: CancellationToken,
}

impl Ending {
    /// Resolves when the run should finish what it does, and begin nothing more.
    pub async fn finish(&self) {
        self.finish.cancelled().await;
    }

    /// Resolves when the run has to end at once: somebody else may be doing the same already.
    pub async fn abandon(&self) {
        self.abandon.cancelled().await;
    }
}

/// Keeps something running; see [the module](self).
#[derive(Debug)]
pub struct Supervisor {
    flapping: Flapping,
    state: Arc<Mutex<State>>,
}

/// Tells what a [`Supervisor`] does.
#[derive(Clone, Debug)]
pub struct SupervisorHandle(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    phase: Phase,
    /// When the wait ends, in [`Phase::Restarting`].
    until: Option<Instant>,
    runs: u64,
    last_error: Option<String>,
}

impl Supervisor {
    /// A supervisor, whose waits are spread by chance.
    pub fn new(random: Random) -> Self {
        let state = State { phase: Phase::Waiting, until: None, runs: 0, last_error: None };
        Self { flapping: Flapping::new(random), state: Arc::new(Mutex::new(state)) }
    }

    /// Tells what it does.
    pub fn handle(&self) -> SupervisorHandle {
        SupervisorHandle(Arc::clone(&self.state))
    }

    /// Runs `run` until it ends without an error, or until `stop` is cancelled and the run that was on has finished.
    ///
    /// A run is given what is held. It is told to [finish](Ending::finish) by `stop`, and to [end at
    /// once](Ending::abandon) when what it holds is lost.
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
            let held = tokio::select! {
                biased;
                () = stop.cancelled() => break,
                held = holding(&mut lease) => held,
            };
            // Whoever gives leases is gone, so this one will never be held.
            let Some(held) = held else { break };

            self.begin_run();
            let began = Instant::now();
            match one_run(&mut lease, &held, &stop, &mut run).await {
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
                        () = lost(&mut lease, &held) => self.flapping.forget(),
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

    fn enter(&self, phase: Phase, until: Option<Instant>) {
        let mut state = self.lock();
        state.phase = phase;
        state.until = until;
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Supervisor {
    /// Also when its future is dropped while something runs.
    fn drop(&mut self) {
        self.enter(Phase::Stopped, None);
    }
}

impl SupervisorHandle {
    /// What it does now.
    pub fn status(&self) -> SupervisorStatus {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        SupervisorStatus {
            phase: state.phase,
            restart_in: state.until.map(|until| until.saturating_duration_since(Instant::now())),
            restarts: state.runs.saturating_sub(1),
            last_error: state.last_error.clone(),
        }
    }
}

enum Ended {
    /// There is nothing more to run.
    Finished,
    LeaseLost,
    Failed(String),
}

/// Runs once, to the end of the run, whatever it is told meanwhile.
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

/// Resolves when the lease is held; to None when it never will be.
async fn holding<L: Clone>(lease: &mut watch::Receiver<Option<L>>) -> Option<L> {
    lease.wait_for(Option::is_some).await.ok().and_then(|held| held.clone())
}

/// Resolves when this holding has ended. That there is another one by now makes no difference.
async fn lost<L: PartialEq>(lease: &mut watch::Receiver<Option<L>>, held: &L) {
    // That nobody gives leases any more is a loss too.
    let _ = lease.wait_for(|now| now.as_ref() != Some(held)).await;
}

/// An error with what it came of.
pub(super) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let cause = error.to_string();
        // Some errors tell their source themselves.
        if !text.ends_with(&cause) {
            text = format!("{text}: {cause}");
        }
        source = error.source();
    }
    text
}
