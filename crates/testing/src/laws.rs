//! The laws that every resource must keep, and the functions that check them.

use std::path::PathBuf;
use std::sync::Arc;

mod case;
mod checks;
pub(super) mod description;
#[cfg(test)]
mod faulty_resources;
mod field_values;
mod law;
mod law_set;
mod patterns;
mod runner;
mod search;
mod trial_start;
mod value_pools;
mod violation;

use super::{FakeRenderer, context, plan_context, prepare};
use crate::sdk::app_state::AppState;
use crate::sdk::context::Context;
use crate::sdk::error::Error;
use crate::sdk::resource::{Batcher, Resource, Task};
use crate::sdk::status::{Status, TaskStatus};
use crate::system::{Effect, Machine, ModelSystem};
use crate::types::value::Value;
use converge_engine::Stage;
use converge_value::debug_as_text;

pub use case::Case;
#[doc(hidden)]
pub use checks::{NoDebug, Printed};
pub use law::Law;
pub use law_set::Laws;
pub use trial_start::{Begin, Start};
pub use violation::Broken;

/// A law that a resource breaks.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum LawViolation {
    /// The machine is in the declared state from the start, so the laws cannot be tried.
    #[error("nothing to do: let the test begin with a machine that is not as declared")]
    NothingToDo,
    /// A stage failed that should have succeeded.
    #[error("{} failed{}: {error}", name(*.stage), after(*.crash))]
    Failed {
        /// The stage that failed.
        stage: Stage,
        /// The number of effects before the earlier crash, if the machine had crashed.
        crash: Option<usize>,
        /// The error of the stage.
        error: Error,
    },
    /// A check changed the machine.
    #[error("a check changed the machine: {effects:?}")]
    CheckChanges {
        /// The effects of the check.
        effects: Vec<Effect>,
    },
    /// The check after an apply still finds changes.
    #[error("changes are left after the apply{}: {}", after(*.crash), .changes.join(", "))]
    ChangesLeft {
        /// The number of effects before the earlier crash, if the machine had crashed.
        crash: Option<usize>,
        /// The names of the remaining differences.
        changes: Vec<String>,
    },
    /// A second run changed the result of the first one.
    #[error("a second run changed the machine again: {effects:?}")]
    NotIdempotent {
        /// The effects of the second run.
        effects: Vec<Effect>,
    },
    /// After a crash and a further run, the machine differs from one without a crash.
    #[error("the run{} ends in another state: {}", after(Some(*.crash)), listed(.paths))]
    NotRecovered {
        /// The number of effects before the crash.
        crash: usize,
        /// The paths that differ; empty if users, groups or facts differ.
        paths: Vec<PathBuf>,
    },
    /// A batch leads to another state than its members applied one by one.
    #[error("a batch ends in another state than its members one by one: {}", listed(.paths))]
    BatchDiffers {
        /// The paths that differ; empty if users, groups or facts differ.
        paths: Vec<PathBuf>,
    },
    /// A batch did not return one result for each member.
    #[error("a batch of {members} gave {results} results")]
    WrongCount {
        /// The number of results that the batch returned.
        results: usize,
        /// The number of members of the batch.
        members: usize,
    },
    /// The type is not applied in batches.
    #[error("{name} is not applied in batches: write `batch` in its `#[preparer(..)]`")]
    NoBatches {
        /// The name of the type in modules.
        name: &'static str,
    },
}

debug_as_text!(LawViolation);

struct Host {
    model: Arc<ModelSystem>,
    state: AppState,
}

impl Host {
    fn new(start: &impl Begin) -> Self {
        let Start { model, state } = start.begin();
        model.let_time_flow();
        Self { model: Arc::new(model), state }
    }

    fn plan(&self) -> Context {
        plan_context(&self.model).with_app_state(self.state.clone())
    }

    fn apply(&self) -> Context {
        context(&self.model).with_app_state(self.state.clone())
    }
}

/// The names and values of the fields of one resource.
type Values<'a> = [(&'a str, Value)];

/// Checks the laws of resources on `R` with these values, each time on a new machine from `start`.
///
/// - A check changes nothing, neither in a plan nor in an apply.
/// - After an apply, a check finds no changes.
/// - A second run changes nothing.
/// - After a crash at any point of the apply, the next run ends in the same state as a run without a crash.
///
/// If the type is applied in [batches](converge_sdk::Batch), a batch with this one member must keep the same laws
/// and end in the same state.
///
/// Time [flows](ModelSystem::let_time_flow), and the times of files are not compared. Changes to the
/// application state are not compared either.
///
/// # Errors
///
/// The first law that is broken.
pub async fn check<R: Resource>(start: impl Begin, values: &Values<'_>) -> Result<(), LawViolation> {
    check_members::<R>(&start, &[values]).await
}

/// Checks the laws of resources on several members of `R`.
///
/// `R` is applied in [batches](converge_sdk::Batch).
/// The members must keep the laws one by one and all in one batch, and both ways must end in the same state.
///
/// # Errors
///
/// The first law that is broken.
pub async fn check_batch<R: Resource>(
    start: impl Begin,
    members: &[&Values<'_>],
) -> Result<(), LawViolation> {
    if R::batcher().is_none() {
        return Err(LawViolation::NoBatches { name: R::NAME });
    }
    check_members::<R>(&start, members).await
}

async fn check_members<R: Resource>(start: &impl Begin, members: &[&Values<'_>]) -> Result<(), LawViolation> {
    let one_by_one = check_runs::<R>(start, members, None).await?;
    let Some(batcher) = R::batcher() else { return Ok(()) };
    let together = check_runs::<R>(start, members, Some(&batcher)).await?;
    if one_by_one == together {
        return Ok(());
    }
    Err(LawViolation::BatchDiffers { paths: differing(&one_by_one, &together) })
}

/// Applies the members one by one or in batches, and returns the resulting machine.
async fn check_runs<R: Resource>(
    start: &impl Begin,
    members: &[&Values<'_>],
    batcher: Option<&Batcher<R::Task>>,
) -> Result<Machine, LawViolation> {
    let host = Host::new(start);
    let model = &host.model;
    for values in members {
        let (_, planned) = prepare_and_check::<R>(model, values, &host.plan(), None).await?;
        if !planned.has_changes() {
            return Err(LawViolation::NothingToDo);
        }
    }
    run::<R>(&host, members, batcher, None).await?;
    let effects = model.effects();
    let end = model.machine().without_times();

    model.restart();
    run::<R>(&host, members, batcher, None).await?;
    if !model.effects().is_empty() {
        return Err(LawViolation::NotIdempotent { effects: model.effects() });
    }

    for crash in 0..effects.len() {
        let host = Host::new(start);
        let model = &host.model;
        model.fail_after(crash);
        // The run is expected to fail here; its error does not matter.
        let _ = run::<R>(&host, members, batcher, Some(crash)).await;
        model.restart();
        run::<R>(&host, members, batcher, Some(crash)).await?;
        let recovered = model.machine().without_times();
        if recovered != end {
            return Err(LawViolation::NotRecovered { crash, paths: differing(&recovered, &end) });
        }
    }
    Ok(end)
}

/// Applies the resources as the engine does.
async fn run<R: Resource>(
    host: &Host,
    members: &[&Values<'_>],
    batcher: Option<&Batcher<R::Task>>,
    crash: Option<usize>,
) -> Result<(), LawViolation> {
    let cx = host.apply();
    let together = if batcher.is_some() { members.len().max(1) } else { 1 };
    for members in members.chunks(together) {
        let mut tasks = Vec::new();
        for values in members {
            let (task, status) = prepare_and_check::<R>(&host.model, values, &cx, crash).await?;
            tasks.extend(status.has_changes().then_some(task));
        }
        let mut batch: Vec<&mut R::Task> = tasks.iter_mut().collect();
        let results = match (batcher, batch.as_mut_slice()) {
            (_, []) => Vec::new(),
            (Some(batcher), batch) => batcher.call(batch, &cx).await,
            (None, [task, ..]) => vec![task.apply(&cx).await],
        };
        if results.len() != tasks.len() {
            return Err(LawViolation::WrongCount { results: results.len(), members: tasks.len() });
        }
        for result in results {
            succeeded(result, Stage::Apply, crash)?;
        }
        for task in &mut tasks {
            let checked = task.check(&cx, &FakeRenderer::new()).await;
            let status = succeeded(checked, Stage::CheckAfterApply, crash)?;
            if status.has_changes() {
                let differences = status.diffs().into_iter().filter(|(_, diff)| diff.changes());
                let changes = differences.map(|(name, _)| name.to_owned()).collect();
                return Err(LawViolation::ChangesLeft { crash, changes });
            }
        }
    }
    Ok(())
}

/// Prepares and checks a resource, and verifies that neither changes the machine.
async fn prepare_and_check<R: Resource>(
    model: &Arc<ModelSystem>,
    values: &Values<'_>,
    cx: &Context,
    crash: Option<usize>,
) -> Result<(R::Task, Status), LawViolation> {
    let renderer = FakeRenderer::new();
    let before = model.effects().len();
    let values = values.iter().map(|(name, value)| (*name, value.clone()));
    let mut task = prepare::<R>(values, cx, &renderer).await.map_err(|error| LawViolation::Failed {
        stage: Stage::Prepare,
        crash,
        error,
    })?;
    let status = succeeded(task.check(cx, &renderer).await, Stage::Check, crash)?;
    let effects = model.effects().split_off(before);
    if effects.is_empty() { Ok((task, status)) } else { Err(LawViolation::CheckChanges { effects }) }
}

/// Returns an error in the status as if the stage had returned it.
fn succeeded(
    result: Result<Status, Error>,
    stage: Stage,
    crash: Option<usize>,
) -> Result<Status, LawViolation> {
    let failed = |error| LawViolation::Failed { stage, crash, error };
    let mut status = result.map_err(failed)?;
    match status.take_error() {
        None => Ok(status),
        Some(error) => Err(failed(error)),
    }
}

fn differing(a: &Machine, b: &Machine) -> Vec<PathBuf> {
    let (a, b) = (a.entries(), b.entries());
    let mut paths: Vec<PathBuf> =
        a.iter().filter(|(path, entry)| b.get(*path) != Some(entry)).map(|(path, _)| path.clone()).collect();
    paths.extend(b.keys().filter(|path| !a.contains_key(*path)).cloned());
    paths.sort();
    paths
}

fn name(stage: Stage) -> &'static str {
    match stage {
        Stage::Render => "rendering",
        Stage::Prepare => "prepare",
        Stage::Check => "check",
        Stage::Apply => "apply",
        Stage::Refresh => "refresh",
        Stage::CheckAfterApply => "the check after the apply",
    }
}

fn after(crash: Option<usize>) -> String {
    match crash {
        None => String::new(),
        Some(1) => " after a crash that followed 1 effect".to_owned(),
        Some(count) => format!(" after a crash that followed {count} effects"),
    }
}

fn listed(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return "users, groups or facts".to_owned();
    }
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
