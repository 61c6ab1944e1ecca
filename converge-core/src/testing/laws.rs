//! What must hold for every resource.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::{FakeRenderer, context, plan_context, prepare};
use crate::context::Context;
use crate::engine::Stage;
use crate::error::Error;
use crate::resource::{Resource, Task};
use crate::status::{Status, TaskStatus};
use crate::system::{Effect, Machine, ModelSystem};
use crate::value::Value;

/// A resource breaks a law.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// The machine is as declared from the beginning, so there is nothing to try the laws on.
    #[error("nothing to do: let the test begin with a machine that is not as declared")]
    NothingToDo,
    /// Something failed that should not.
    #[error("{} failed{}: {error}", Name(*.stage), After(*.crash))]
    Failed {
        /// What failed.
        stage: Stage,
        /// After how many effects the machine had crashed before.
        crash: Option<usize>,
        /// Why.
        error: Error,
    },
    /// Looking at the machine changed it.
    #[error("a check changed the machine: {effects:?}")]
    CheckChanges {
        /// How.
        effects: Vec<Effect>,
    },
    /// After an apply there are still changes.
    #[error("changes are left after the apply{}: {}", After(*.crash), .changes.join(", "))]
    ChangesLeft {
        /// After how many effects the machine had crashed before.
        crash: Option<usize>,
        /// Names of the differences.
        changes: Vec<String>,
    },
    /// A second run changed what the first one had made.
    #[error("a second run changed the machine again: {effects:?}")]
    NotIdempotent {
        /// How.
        effects: Vec<Effect>,
    },
    /// A run that was interrupted by a crash, and the run after it, end elsewhere than one that was not.
    #[error("the run{} ends in another state: {}", After(Some(*.crash)), Paths(.paths))]
    NotRecovered {
        /// After how many effects the machine had crashed.
        crash: usize,
        /// Where files differ; none when users, groups or facts do.
        paths: Vec<PathBuf>,
    },
    /// A batch does not end where its members do one by one.
    #[error("a batch ends in another state than its members one by one: {}", Paths(.paths))]
    BatchDiffers {
        /// Where files differ; none when users, groups or facts do.
        paths: Vec<PathBuf>,
    },
    /// A batch has not one result for each member.
    #[error("a batch of {members} gave {results} results")]
    WrongCount {
        /// How many results it gave.
        results: usize,
        /// How many members there were.
        members: usize,
    },
    /// The type is not applied in batches.
    #[error("{name} is not applied in batches: write `batch` in its `#[preparer(..)]`")]
    NoBatches {
        /// The name of the type in modules.
        name: &'static str,
    },
}

/// The values of one resource.
type Values<'a> = [(&'a str, Value)];

/// Tries out the laws of resources on `R` with these values, each time on a new machine from `start`.
///
/// - A check changes nothing, neither in a plan nor in an apply.
/// - After an apply, a check finds no changes.
/// - A second run changes nothing.
/// - After a crash at any point of the apply, the next run ends in the same state as a run without a crash.
///
/// Of a type that is applied in [batches](crate::Batch) all of this must hold for a batch with this one member, too, and end in
/// the same state.
///
/// Time [flows](ModelSystem::let_time_flow), and times of files do not count as state.
///
/// # Errors
///
/// The first law that is broken.
pub async fn check<R: Resource>(start: impl Fn() -> ModelSystem, values: &Values<'_>) -> Result<(), Broken> {
    check_members::<R>(&start, &[values]).await
}

/// Tries out the laws of resources on several of type `R`, which is applied in [batches](crate::Batch): what holds
/// for them one by one must hold for all in one batch, and end in the same state.
///
/// # Errors
///
/// The first law that is broken.
pub async fn check_batch<R: Resource>(
    start: impl Fn() -> ModelSystem,
    members: &[&Values<'_>],
) -> Result<(), Broken> {
    if R::batcher().is_none() {
        return Err(Broken::NoBatches { name: R::NAME });
    }
    check_members::<R>(&start, members).await
}

async fn check_members<R: Resource>(
    start: &impl Fn() -> ModelSystem,
    members: &[&Values<'_>],
) -> Result<(), Broken> {
    let one_by_one = check_way::<R>(start, members, Way::OneByOne).await?;
    if R::batcher().is_none() {
        return Ok(());
    }
    let together = check_way::<R>(start, members, Way::Together).await?;
    if one_by_one == together {
        return Ok(());
    }
    Err(Broken::BatchDiffers { paths: differing(&one_by_one, &together) })
}

/// How several resources are applied.
#[derive(Clone, Copy, Debug)]
enum Way {
    OneByOne,
    Together,
}

/// Gives the machine at the end.
async fn check_way<R: Resource>(
    start: &impl Fn() -> ModelSystem,
    members: &[&Values<'_>],
    way: Way,
) -> Result<Machine, Broken> {
    let new_model = || {
        let model = start();
        model.let_time_flow();
        Arc::new(model)
    };

    let model = new_model();
    for values in members {
        let (_, planned) = prepare_and_check::<R>(&model, values, &plan_context(&model), None).await?;
        if !planned.has_changes() {
            return Err(Broken::NothingToDo);
        }
    }
    run::<R>(&model, members, way, None).await?;
    let effects = model.effects();
    let end = model.machine().without_times();

    model.restart();
    run::<R>(&model, members, way, None).await?;
    if !model.effects().is_empty() {
        return Err(Broken::NotIdempotent { effects: model.effects() });
    }

    for crash in 0..effects.len() {
        let model = new_model();
        model.fail_after(crash);
        // It is to fail, and how it says so is its own matter.
        let _ = run::<R>(&model, members, way, Some(crash)).await;
        model.restart();
        run::<R>(&model, members, way, Some(crash)).await?;
        let recovered = model.machine().without_times();
        if recovered != end {
            return Err(Broken::NotRecovered { crash, paths: differing(&recovered, &end) });
        }
    }
    Ok(end)
}

/// What the engine does with resources in an apply.
async fn run<R: Resource>(
    model: &Arc<ModelSystem>,
    members: &[&Values<'_>],
    way: Way,
    crash: Option<usize>,
) -> Result<(), Broken> {
    match way {
        Way::OneByOne => {
            for values in members {
                run_together::<R>(model, &[values], Way::OneByOne, crash).await?;
            }
            Ok(())
        }
        Way::Together => run_together::<R>(model, members, way, crash).await,
    }
}

async fn run_together<R: Resource>(
    model: &Arc<ModelSystem>,
    members: &[&Values<'_>],
    way: Way,
    crash: Option<usize>,
) -> Result<(), Broken> {
    let cx = context(model);
    let mut tasks = Vec::new();
    for values in members {
        let (task, status) = prepare_and_check::<R>(model, values, &cx, crash).await?;
        tasks.extend(status.has_changes().then_some(task));
    }
    let mut batch: Vec<&mut R::Task> = tasks.iter_mut().collect();
    let results = match (way, R::batcher()) {
        (Way::Together, Some(batcher)) if !batch.is_empty() => batcher.call(&mut batch, &cx).await,
        _ => {
            let mut results = Vec::new();
            for task in batch {
                results.push(task.apply(&cx).await);
            }
            results
        }
    };
    if results.len() != tasks.len() {
        return Err(Broken::WrongCount { results: results.len(), members: tasks.len() });
    }
    for result in results {
        succeeded(result, Stage::Apply, crash)?;
    }
    for task in &mut tasks {
        let status = succeeded(task.check(&cx, &FakeRenderer::new()).await, Stage::CheckAfterApply, crash)?;
        if status.has_changes() {
            let differences = status.diffs().into_iter().filter(|(_, diff)| diff.changes());
            let changes = differences.map(|(name, _)| name.to_owned()).collect();
            return Err(Broken::ChangesLeft { crash, changes });
        }
    }
    Ok(())
}

/// Prepares and checks, which must not change anything.
async fn prepare_and_check<R: Resource>(
    model: &Arc<ModelSystem>,
    values: &Values<'_>,
    cx: &Context,
    crash: Option<usize>,
) -> Result<(R::Task, Status), Broken> {
    let renderer = FakeRenderer::new();
    let before = model.effects().len();
    let values = values.iter().map(|(name, value)| (*name, value.clone()));
    let mut task = prepare::<R>(values, cx, &renderer).await.map_err(|error| Broken::Failed {
        stage: Stage::Prepare,
        crash,
        error,
    })?;
    let status = succeeded(task.check(cx, &renderer).await, Stage::Check, crash)?;
    let effects = model.effects().split_off(before);
    if effects.is_empty() { Ok((task, status)) } else { Err(Broken::CheckChanges { effects }) }
}

/// An error in the status counts as one that was returned.
fn succeeded(result: Result<Status, Error>, stage: Stage, crash: Option<usize>) -> Result<Status, Broken> {
    let failed = |error| Broken::Failed { stage, crash, error };
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

struct Name(Stage);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Stage::Render => "rendering",
            Stage::Prepare => "prepare",
            Stage::Check => "check",
            Stage::Apply => "apply",
            Stage::Refresh => "refresh",
            Stage::CheckAfterApply => "the check after the apply",
        })
    }
}

struct After(Option<usize>);

impl fmt::Display for After {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(1) => f.write_str(" after a crash that followed 1 effect"),
            Some(count) => write!(f, " after a crash that followed {count} effects"),
        }
    }
}

struct Paths<'a>(&'a [PathBuf]);

impl fmt::Display for Paths<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("users, groups or facts");
        }
        for (index, path) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{}", path.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
