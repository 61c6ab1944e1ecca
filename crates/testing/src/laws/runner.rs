//! A runner that executes a resource as the engine does, and turns panics and hangs into breaches.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use super::case::{Case, Values};
use super::description;
use super::trial_start::Start;
use crate::graph::NodeId;
use crate::sdk::app_state::AppState;
use crate::sdk::context::Context;
use crate::sdk::error::Error;
use crate::sdk::resource::{Resource, Task as _};
use crate::sdk::status::{Status, TaskStatus};
use crate::system::{Effect, Machine, ModelSystem};
use crate::types::panic_guard::guarded;
use crate::types::value::Value;
use crate::{FakeRenderer, ProgressRecorder, context, keeping, plan_context, prepare};
use converge_engine::Stage;

/// The number of operations in one stage that counts as a hang.
///
/// The model host answers at once, so that no time passes in which a deadline could expire.
const MOST_OPERATIONS: usize = 50_000;

/// The breach for an apply that reports a boot that nothing has requested.
const NO_BOOT: &str = "the apply ends with `Error::Booting`, and nothing has told the machine to boot: await what does that, and let the program \
                       of the model host do it (`Machine::go_down`)";

/// The folder of the model host for data that a resource keeps between runs.
///
/// The data is on the model host so that it is lost, truncated and compared like everything else.
const KEPT: &str = "/var/lib/converge-laws/kept";

/// The explanation of how a law is broken, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Breach(pub(super) String);

/// Whether the law could be tried on a case; if not, the reason.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tried {
    Yes,
    No(String),
}

pub(super) type Verdict = Result<Tried, Breach>;

/// A model host with the application state and the recorded progress.
pub(super) struct Host {
    pub(super) model: Arc<ModelSystem>,
    state: AppState,
    pub(super) progress: ProgressRecorder,
}

impl Host {
    pub(super) fn plan(&self) -> Context {
        self.with_state(plan_context(&self.model))
    }

    /// Returns the context of a plan in which a dependency of the resource has pending changes.
    pub(super) fn plan_behind(&self) -> Context {
        self.plan().with_pending([NodeId::root().child("task.before")])
    }

    pub(super) fn apply(&self) -> Context {
        self.with_state(context(&self.model))
    }

    fn with_state(&self, cx: Context) -> Context {
        keeping(self.progress.record(cx.with_app_state(self.state.clone())), KEPT)
    }

    /// Returns the machine without times, for comparisons.
    pub(super) fn machine(&self) -> Machine {
        self.model.machine().without_times()
    }

    /// Boots the machine if it was told to go down, and returns whether it booted.
    pub(super) fn boot(&self) -> bool {
        let is_going_down = self.model.machine().is_going_down();
        if is_going_down {
            self.model.boot();
        }
        is_going_down
    }

    pub(super) fn effects(&self) -> Vec<Effect> {
        self.model.effects()
    }
}

pub(super) enum Ended<T> {
    /// Nothing was to be done.
    Same(T),
    /// The check, or a stage before it, failed.
    Refused(String),
    Failed(String),
    Applied(Applied<T>),
}

pub(super) struct Applied<T> {
    pub(super) task: T,
    /// The status of the check before the apply.
    pub(super) reported: String,
    /// The result of another check of the same task after the apply.
    pub(super) again: Result<Status, Error>,
}

impl<T> Applied<T> {
    /// Returns what is left to do, or the error, according to the check after the apply.
    pub(super) fn left(&self) -> Option<String> {
        left(&self.again)
    }
}

/// Returns what is left to do, or the error, according to the result of a check.
pub(super) fn left(checked: &Result<Status, Error>) -> Option<String> {
    match checked {
        Ok(status) if status.has_changes() => Some(description::status(status)),
        Ok(_) => None,
        Err(error) => Some(format!("it fails: {error}")),
    }
}

pub(super) struct Runner<'l> {
    pub(super) starts: &'l [Box<dyn Fn() -> Start + Send + Sync>],
    /// The paths and name prefixes that other programs change.
    pub(super) beside: &'l [&'static str],
    pub(super) deadline: Duration,
    /// The function that returns the `Debug` output of a task, if the type has one.
    pub(super) printed: Option<&'l Printer>,
}

/// A function that prints a task of one type.
pub(super) type Printer = dyn Fn(&dyn Any) -> Option<String> + Send + Sync;

impl Runner<'_> {
    pub(super) fn printed<T: Any>(&self, task: &T) -> Option<String> {
        self.printed.and_then(|print| print(task))
    }

    /// Creates a new machine as the case describes it.
    pub(super) async fn host<R: Resource>(&self, case: &Case) -> Result<Host, Breach> {
        let Start { model, state } =
            self.starts.get(case.start).map_or_else(|| ModelSystem::new().into(), |start| start());
        model.let_time_follow_tokio();
        let host = Host { model: Arc::new(model), state, progress: ProgressRecorder::new() };
        if let Some(earlier) = &case.earlier {
            // The result does not matter: any outcome is a state that a machine may be in.
            self.run::<R>(&host, earlier).await?;
        }
        host.model.alter(|machine| case.changes.iter().for_each(|change| change.apply_to(machine)));
        host.model.restart();
        Ok(host)
    }

    pub(super) async fn stage<T>(
        &self,
        host: &Host,
        stage: Stage,
        work: impl Future<Output = T>,
    ) -> Result<T, Breach> {
        host.model.hang_after(MOST_OPERATIONS);
        let mut work = pin!(work);
        let watched = poll_fn(|cx| match guarded(|| work.as_mut().poll(cx)) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
            Err(message) => Poll::Ready(Err(message)),
        });
        let name = super::name(stage);
        match tokio::time::timeout(self.deadline, watched).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(message)) => Err(Breach(format!("{name} panicked: {message}"))),
            Err(_) => {
                let deadline = self.deadline;
                Err(Breach(format!(
                    "{name} had not ended after {deadline:?}: it waits for ever, or asks the machine again and again"
                )))
            }
        }
    }

    pub(super) async fn prepare<R: Resource>(
        &self,
        host: &Host,
        cx: &Context,
        values: &[(&'static str, Value)],
    ) -> Result<Result<R::Task, Error>, Breach> {
        let values = values.iter().map(|(name, value)| (*name, value.clone()));
        self.stage(host, Stage::Prepare, prepare::<R>(values, cx, &FakeRenderer::new())).await
    }

    /// Checks, and returns an error in the status as if the check had returned it.
    pub(super) async fn check<R: Resource>(
        &self,
        host: &Host,
        cx: &Context,
        task: &mut R::Task,
    ) -> Result<Result<Status, Error>, Breach> {
        self.check_in::<R>(host, cx, task, Stage::Check).await
    }

    pub(super) async fn check_in<R: Resource>(
        &self,
        host: &Host,
        cx: &Context,
        task: &mut R::Task,
        stage: Stage,
    ) -> Result<Result<Status, Error>, Breach> {
        let checked = self.stage(host, stage, task.check(cx, &FakeRenderer::new())).await?;
        Ok(without_error(checked))
    }

    pub(super) async fn apply<R: Resource>(
        &self,
        host: &Host,
        cx: &Context,
        task: &mut R::Task,
    ) -> Result<Result<Status, Error>, Breach> {
        Ok(without_error(self.stage(host, Stage::Apply, task.apply(cx)).await?))
    }

    /// Checks the machine with a new task, in a plan.
    pub(super) async fn look<R: Resource>(
        &self,
        host: &Host,
        values: &Values,
    ) -> Result<Result<Status, Error>, Breach> {
        let cx = host.plan();
        match self.prepare::<R>(host, &cx, values).await? {
            Ok(mut task) => self.check::<R>(host, &cx, &mut task).await,
            Err(error) => Ok(Err(error)),
        }
    }

    /// Runs a resource as the engine does in an apply.
    pub(super) async fn run<R: Resource>(
        &self,
        host: &Host,
        values: &Values,
    ) -> Result<Ended<R::Task>, Breach> {
        let cx = host.apply();
        let mut task = match self.prepare::<R>(host, &cx, values).await? {
            Ok(task) => task,
            Err(error) => return Ok(Ended::Refused(error.to_string())),
        };
        let status = match self.check::<R>(host, &cx, &mut task).await? {
            Ok(status) => status,
            Err(error) => return Ok(Ended::Refused(error.to_string())),
        };
        if !status.has_changes() {
            return Ok(Ended::Same(task));
        }
        let reported = description::status(&status);
        match self.apply::<R>(host, &cx, &mut task).await? {
            Ok(_) => {
                let recheck = self.check_in::<R>(host, &cx, &mut task, Stage::CheckAfterApply).await?;
                Ok(Ended::Applied(Applied { task, reported, again: recheck }))
            }
            Err(Error::Booting(_)) => self.go_on_after_boot::<R>(host, values, reported).await,
            Err(error) => Ok(Ended::Failed(error.to_string())),
        }
    }

    /// Boots the machine after the run, and checks in the next run what is left to do.
    async fn go_on_after_boot<R: Resource>(
        &self,
        host: &Host,
        values: &Values,
        reported: String,
    ) -> Result<Ended<R::Task>, Breach> {
        if !host.boot() {
            return Err(Breach(NO_BOOT.to_owned()));
        }
        let cx = host.apply();
        match self.prepare::<R>(host, &cx, values).await? {
            Ok(mut task) => {
                let recheck = self.check::<R>(host, &cx, &mut task).await?;
                Ok(Ended::Applied(Applied { task, reported, again: recheck }))
            }
            Err(error) => Ok(Ended::Failed(format!("after the boot, it cannot be prepared: {error}"))),
        }
    }

    /// Returns a machine on which the values were applied, or the reason why they were not.
    pub(super) async fn applied<R: Resource>(
        &self,
        case: &Case,
    ) -> Result<Result<(Host, Applied<R::Task>), String>, Breach> {
        let host = self.host::<R>(case).await?;
        Ok(match self.run::<R>(&host, &case.values).await? {
            Ended::Applied(applied) => Ok((host, applied)),
            Ended::Same(_) => Err("the machine is as declared already".to_owned()),
            Ended::Refused(error) => Err(format!("the check fails: {error}")),
            Ended::Failed(error) => Err(format!("the apply fails: {error}")),
        })
    }
}

fn without_error(result: Result<Status, Error>) -> Result<Status, Error> {
    let mut status = result?;
    match status.take_error() {
        None => Ok(status),
        Some(error) => Err(error),
    }
}
