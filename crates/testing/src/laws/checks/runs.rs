//! The laws about runs in which nothing goes wrong.

use super::super::case::Case;
use super::super::description;
use super::super::runner::{Applied, Breach, Ended, Runner, Tried, Verdict, left};
use crate::sdk::resource::Resource;
use crate::sdk::status::TaskStatus as _;

pub(super) async fn check_changes_nothing<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    for mode in ["a plan", "a plan in which a dependency is pending", "an apply"] {
        let host = runner.host::<R>(case).await?;
        let cx = match mode {
            "a plan" => host.plan(),
            "an apply" => host.apply(),
            _ => host.plan_behind(),
        };
        let changed = |stage: &str| match host.effects() {
            effects if effects.is_empty() => Ok(()),
            effects => Err(Breach(format!("{stage} in {mode} {}", description::effects(&effects)))),
        };
        let prepared = runner.prepare::<R>(&host, &cx, &case.values).await?;
        changed("prepare")?;
        let Ok(mut task) = prepared else { continue };
        for _ in 0..2 {
            // Other laws check the result of this check.
            let _ = runner.check::<R>(&host, &cx, &mut task).await?;
            changed("a check")?;
        }
    }
    if let Ok((host, mut applied)) = runner.applied::<R>(case).await? {
        host.model.restart();
        let cx = host.apply();
        let _ = runner.check::<R>(&host, &cx, &mut applied.task).await?;
        if !host.effects().is_empty() {
            let effects = description::effects(&host.effects());
            return Err(Breach(format!("the check after an apply {effects}")));
        }
    }
    Ok(Tried::Yes)
}

/// Compares the checks of two separate tasks on two equal machines.
pub(super) async fn check_says_the_same<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let mut answers = Vec::new();
    for _ in 0..2 {
        let host = runner.host::<R>(case).await?;
        answers.push(match runner.look::<R>(&host, &case.values).await? {
            Ok(status) => description::status(&status),
            Err(error) => format!("{error}"),
        });
    }
    if answers[0] == answers[1] {
        return Ok(Tried::Yes);
    }
    Err(Breach(format!(
        "two machines are the same, and of one the check says `{}`, of the other `{}`: does it look at something that is not \
         asked of `cx.system()`, as a clock, chance, or something that the program remembers?",
        answers[0], answers[1]
    )))
}

pub(super) async fn nothing_is_left<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let (host, applied) = match runner.applied::<R>(case).await? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    if let Some(left) = applied.left() {
        return Err(Breach(format!("the check after the apply says {left}")));
    }
    match left(&runner.look::<R>(&host, &case.values).await?) {
        None => Ok(Tried::Yes),
        Some(left) => Err(Breach(format!(
            "the task that made the apply finds nothing left to do, and another one with the same values says {left}: \
             does the task remember that it was applied, and not look at the machine?"
        ))),
    }
}

pub(super) async fn twice_is_once<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let (host, applied) = match runner.applied::<R>(case).await? {
        Ok(applied) => applied,
        Err(reason) => return Ok(Tried::No(reason)),
    };
    let first = host.machine();
    host.model.restart();
    let second = runner.run::<R>(&host, &case.values).await?;
    if !host.effects().is_empty() {
        return Err(Breach(format!("a second run {}", description::effects(&host.effects()))));
    }
    if let Ended::Applied(Applied { reported, .. }) = second {
        return Err(Breach(format!("a second run has something to do again: {reported}")));
    }

    let host = runner.host::<R>(case).await?;
    let cx = host.apply();
    let Ok(mut task) = runner.prepare::<R>(&host, &cx, &case.values).await? else { return Ok(Tried::Yes) };
    let checked = runner.check::<R>(&host, &cx, &mut task).await?;
    if !checked.is_ok_and(|status| status.has_changes()) {
        return Ok(Tried::Yes);
    }
    for _ in 0..2 {
        // A repeated apply may fail because the change is already made.
        let _ = runner.apply::<R>(&host, &cx, &mut task).await?;
    }
    host.boot();
    let twice = host.machine();
    if twice == first {
        return Ok(Tried::Yes);
    }
    drop(applied);
    Err(Breach(format!(
        "an apply that is made twice after one check, as it is when it is tried again, is not the same as one: {}",
        description::differing(&twice, &first)
    )))
}

/// Runs all stages; the runner reports a stage that does not end.
pub(super) async fn ends<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let host = runner.host::<R>(case).await?;
    let cx = host.plan_behind();
    if let Ok(mut task) = runner.prepare::<R>(&host, &cx, &case.values).await? {
        let _ = runner.check::<R>(&host, &cx, &mut task).await?;
    }
    runner.run::<R>(&host, &case.values).await?;
    Ok(Tried::Yes)
}
