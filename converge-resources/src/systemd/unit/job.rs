//! Jobs, and whether the unit is then as it should be.

use std::time::{Duration, SystemTime};

use converge_core::prelude::*;

use super::error::{JobResult, UnitError};
use super::failure::{Failure, conditions};
use super::journal::Journal;
use super::name::UnitName;
use super::needs;
use super::seen::{Active, Seen};
use crate::systemd::bus::within;
use crate::systemd::manager::{JobKind, Manager};

/// How long a job may take when the unit has no end to it.
const LONGEST: Duration = Duration::from_mins(15);

/// What is added to the unit's own times, for the units that it waits for and for systemd to end what hangs.
const GRACE: Duration = Duration::from_secs(30);

/// How long a service has to run before it counts as running, when it says nothing itself. One that cannot run at all ends
/// within a fraction of it.
const SETTLE: Duration = Duration::from_secs(1);

/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// Does a job, and waits until the unit is as it should be.
///
/// # Errors
///
/// It cannot be done, does not end in time, or the unit is not then what the job should make of it.
pub(super) async fn run(
    cx: &Context,
    manager: &Manager,
    name: &UnitName,
    seen: &Seen,
    kind: JobKind,
) -> Result<()> {
    let began = cx.system().clock().now();
    let unit = seen.facts.id.as_str();
    let starts = matches!(kind, JobKind::Start | JobKind::Restart | JobKind::TryRestart);
    if starts && seen.facts.active == Active::Failed {
        // Otherwise one that failed too often just before is not started at all, though it was mended since.
        manager.reset_failed(unit).await.map_err(Error::other)?;
    }
    let mut ends = manager.listen(unit).await.map_err(Error::other)?;
    // It only makes errors better. Who may not ask for this may not begin the job either.
    let _held = manager.hold(unit).await;
    let job = manager.begin(unit, kind).await.map_err(Error::other)?;
    let limit = within(cx, limit(seen, kind));
    let result = ends.of(&job, (kind, unit), limit).await.map_err(Error::other)?;
    match result.as_deref() {
        Some("done") if starts => stays(cx, manager, name, began).await,
        Some("done") => Ok(()),
        Some(result) => {
            let now = Seen::look(manager, name).await.map_err(Error::other)?;
            let needs = match result {
                "dependency" => needs::missing(manager, &now).await,
                _ => Vec::new(),
            };
            Err(Error::other(UnitError::Job {
                unit: unit.to_owned(),
                kind,
                result: JobResult { word: result.to_owned(), needs },
                failure: Failure::of(&now),
                journal: Journal::of(cx, unit, Some(began)).await,
            }))
        }
        None => {
            let now = Seen::look(manager, name).await.map_err(Error::other)?;
            Err(Error::other(UnitError::NotReady {
                unit: unit.to_owned(),
                kind,
                after: limit,
                state: now.facts.state(),
                journal: Journal::of(cx, unit, Some(began)).await,
            }))
        }
    }
}

/// How long a job may take, by the unit's own settings.
fn limit(seen: &Seen, kind: JobKind) -> Duration {
    let setting = |name: &str| match seen.own.number(name) {
        0 => seen.own.number("TimeoutUSec"),
        number => number,
    };
    let time = |name: &str| {
        Some(setting(name)).filter(|time| (1..u64::MAX).contains(time)).map(Duration::from_micros)
    };
    let (start, stop) = (time("TimeoutStartUSec"), time("TimeoutStopUSec"));
    let both = start.zip(stop).map(|(start, stop)| start.saturating_add(stop));
    let time = match kind {
        JobKind::Start | JobKind::Reload => both,
        // What does not end when asked is killed, and has as long again.
        JobKind::Stop => stop.map(|stop| stop.saturating_mul(2)),
        JobKind::Restart | JobKind::TryRestart => both.map(|both| both.saturating_mul(2)),
    };
    time.map_or(LONGEST, |time| time.saturating_add(GRACE))
}

/// Whether a unit that was started keeps running.
async fn stays(cx: &Context, manager: &Manager, name: &UnitName, began: SystemTime) -> Result<()> {
    let mut seen = Seen::look(manager, name).await.map_err(Error::other)?;
    // Others are started when they say so, or have nothing that could end.
    let silent = matches!(seen.own.text("Type"), "simple" | "exec" | "idle");
    let mut waited = Duration::ZERO;
    while silent && waited < SETTLE && keeps_running(&seen) {
        cx.system().clock().sleep(LOOK).await;
        waited += LOOK;
        seen = Seen::look(manager, name).await.map_err(Error::other)?;
    }
    if keeps_running(&seen) || has_done_its_work(&seen) {
        return Ok(());
    }
    let unit = seen.facts.id.clone();
    let conditions = conditions(&seen);
    if !conditions.is_empty() {
        return Err(Error::other(UnitError::Conditions { unit, conditions }));
    }
    let journal = Journal::of(cx, &unit, Some(began)).await;
    let (state, failure) = (seen.facts.state(), Failure::of(&seen));
    Err(Error::other(UnitError::Died { unit, state, failure, journal }))
}

/// Whether it runs, and has run without being started again since.
fn keeps_running(seen: &Seen) -> bool {
    seen.facts.active.is_up() && seen.own.number("NRestarts") == 0
}

/// Whether it was there to do something, and has done it.
fn has_done_its_work(seen: &Seen) -> bool {
    seen.facts.passing
        && seen.facts.active == Active::Inactive
        && conditions(seen).is_empty()
        && matches!(seen.own.text("Result"), "success" | "")
}
