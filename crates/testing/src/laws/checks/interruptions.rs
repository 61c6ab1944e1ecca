//! The laws about runs that are interrupted and about effects that fail.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use super::super::case::Case;
use super::super::description;
use super::super::runner::{Breach, Ended, Host, Runner, Tried, Verdict};
use crate::sdk::resource::{Resource, Task as _};
use crate::sdk::status::TaskStatus as _;
use crate::system::{Effect, Machine};
use converge_engine::Stage;

const MAX_INTERRUPTIONS: usize = 400;

/// Applies without interruption and returns the effects and the resulting machine.
async fn whole<R: Resource>(
    runner: &Runner<'_>,
    case: &Case,
) -> Result<Result<(Vec<Effect>, Machine), String>, Breach> {
    let applied = runner.applied::<R>(case).await?;
    Ok(applied.map(|(host, _)| (host.effects(), host.machine())))
}

pub(super) async fn stopped_is_finished<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let (effects, end) = match whole::<R>(runner, case).await? {
        Ok(outcome) => outcome,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    for (stop, effect) in effects.iter().enumerate().take(MAX_INTERRUPTIONS) {
        let host = runner.host::<R>(case).await?;
        host.model.fail_after(stop);
        // The error of the interrupted run does not matter here.
        let ended = runner.run::<R>(&host, &case.values).await;
        let moment = format!("an apply was stopped before it {}", description::effect(effect));
        ended.map_err(|breach| Breach(format!("when {moment}: {}", breach.0)))?;
        is_finished::<R>(runner, case, &host, &end, &moment).await?;
    }
    Ok(Tried::Yes)
}

pub(super) async fn cancelled_is_finished<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let (_, end) = match whole::<R>(runner, case).await? {
        Ok(outcome) => outcome,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    for polls in 1..MAX_INTERRUPTIONS {
        let host = runner.host::<R>(case).await?;
        let cx = host.apply();
        let Ok(mut task) = runner.prepare::<R>(&host, &cx, &case.values).await? else { break };
        if !runner.check::<R>(&host, &cx, &mut task).await?.is_ok_and(|status| status.has_changes()) {
            break;
        }
        host.model.pause_before_each();
        let ended = runner.stage(&host, Stage::Apply, dropped_after(polls, task.apply(&cx))).await?;
        if ended {
            break;
        }
        drop(task);
        let effects = description::effects(&host.effects());
        let moment = format!("an apply was cancelled where it waited for the {polls}. time, and {effects}");
        is_finished::<R>(runner, case, &host, &end, &moment).await?;
    }
    Ok(Tried::Yes)
}

/// Polls the work until it has been pending `turns` times, and returns whether it ended before.
async fn dropped_after<T>(polls: usize, work: impl Future<Output = T>) -> bool {
    let mut work = pin!(work);
    let mut left = polls;
    poll_fn(|cx| match work.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(true),
        Poll::Pending if left == 1 => Poll::Ready(false),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Runs the resource again after an interrupted apply, and checks that the run completes it.
pub(super) async fn is_finished<R: Resource>(
    runner: &Runner<'_>,
    case: &Case,
    host: &Host,
    end: &Machine,
    when: &str,
) -> Result<(), Breach> {
    host.model.restart();
    let ended = runner.run::<R>(host, &case.values).await;
    let problem = match ended.map_err(|breach| Breach(format!("after {when}: {}", breach.0)))? {
        Ended::Refused(error) | Ended::Failed(error) => Some(format!("the next run fails: {error}")),
        Ended::Applied(applied) => applied.left().map(|left| format!("the next run leaves {left}")),
        Ended::Same(_) => None,
    };
    let is = host.machine();
    let problem = problem.or_else(|| {
        let differing = || format!("the next run ends elsewhere: {}", description::differing(&is, end));
        (is != *end).then(differing)
    });
    problem.map_or(Ok(()), |problem| Err(Breach(format!("after {when}, {problem}"))))
}

pub(super) async fn no_error_is_swallowed<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let (effects, end) = match whole::<R>(runner, case).await? {
        Ok(outcome) => outcome,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    for (failing, effect) in effects.iter().enumerate().take(MAX_INTERRUPTIONS) {
        let host = runner.host::<R>(case).await?;
        host.model.fail_once_after(failing);
        let ended = runner.run::<R>(&host, &case.values).await?;
        if let Ended::Failed(why) | Ended::Refused(why) = &ended
            && why.trim().is_empty()
        {
            return Err(Breach(format!(
                "one effect fails (it {}), and the error of the apply says nothing: what failed, on what, and why?",
                description::effect(effect)
            )));
        }
        let is = host.machine();
        if matches!(ended, Ended::Applied(_) | Ended::Same(_)) && is != end {
            let failure = match effect {
                Effect::Run { .. } => "the program ends with exit code 1",
                Effect::Request { .. } => "the server answers 500",
                Effect::Message { .. } => "the answer is an error",
                _ => "the disk is full",
            };
            return Err(Breach(format!(
                "one effect fails (it {}: {failure}), and the apply says that it has worked: {}",
                description::effect(effect),
                description::differing(&is, &end)
            )));
        }
        if matches!(ended, Ended::Failed(_)) {
            host.model.restart();
            let again = runner.run::<R>(&host, &case.values).await?;
            let is = host.machine();
            if matches!(again, Ended::Same(_)) && is != end {
                return Err(Breach(format!(
                    "one effect fails (it {}), and the next run finds nothing to do: {}",
                    description::effect(effect),
                    description::differing(&is, &end)
                )));
            }
        }
    }
    Ok(Tried::Yes)
}

/// Runs all stages; the runner reports a stage that panics.
pub(super) async fn nothing_panics<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let host = runner.host::<R>(case).await?;
    let _ = runner.look::<R>(&host, &case.values).await?;
    runner.run::<R>(&host, &case.values).await?;
    let effects = host.effects();
    for (failing, effect) in effects.iter().enumerate().take(MAX_INTERRUPTIONS) {
        let host = runner.host::<R>(case).await?;
        host.model.fail_once_after(failing);
        let ended = runner.run::<R>(&host, &case.values).await;
        let effect = description::effect(effect);
        ended.map_err(|breach| Breach(format!("where it {effect} and that fails, {}", breach.0)))?;
    }
    Ok(Tried::Yes)
}
