//! Execution of jobs, up to the point when the unit has its declared state.

use std::time::{Duration, SystemTime};

use converge_sdk::prelude::*;

use super::dependencies;
use super::failure::{UnitFailure, conditions};
use super::journal::Journal;
use super::name::UnitName;
use super::snapshot::{Active, UnitSnapshot};
use crate::systemd::bus::within;
use crate::systemd::manager::{JobKind, Manager};

/// The time limit of a job if the unit has none.
const LONGEST: Duration = Duration::from_mins(15);

/// The time added to the unit's own limits, for dependencies and for systemd to end hanging processes.
const GRACE: Duration = Duration::from_secs(30);

/// The time that a service has to run to count as running, if it does not report readiness.
///
/// systemd's job ends when the process exists, before that process can fail. A service that cannot run at all
/// ends within a fraction of this time.
const SETTLE: Duration = Duration::from_secs(1);

/// The interval between looks at the unit in that time.
const LOOK: Duration = Duration::from_millis(100);

/// Runs a job, and waits until the unit has its declared state.
pub(super) async fn run(
    cx: &Context,
    manager: &Manager,
    name: &UnitName,
    snapshot: &UnitSnapshot,
    kind: JobKind,
) -> Result<()> {
    let began = cx.system().clock().now();
    let unit = snapshot.facts.id.as_str();
    let starts = matches!(kind, JobKind::Start | JobKind::Restart | JobKind::TryRestart);
    if starts && snapshot.facts.active == Active::Failed {
        // Without the reset, a unit that recently failed too often would not start, although it may be
        // repaired.
        manager.reset_failed(unit).await.map_err(Error::other)?;
    }
    let mut results = manager.listen(unit).await.map_err(Error::other)?;
    // The reference only improves error messages. A caller who may not hold it may not start the job either.
    let _held = manager.hold(unit).await;
    let job = manager.begin(unit, kind).await.map_err(Error::other)?;
    let limit = within(cx, limit(snapshot, kind));
    let result = results.wait_for(&job, (kind, unit), limit).await.map_err(Error::other)?;
    match result.as_deref() {
        Some("done") if starts => stays(cx, manager, name, began).await,
        Some("done") => Ok(()),
        Some(result) => {
            let current = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
            let needs = match result {
                "dependency" => dependencies::missing(manager, &current).await,
                _ => Vec::new(),
            };
            let (result, failure) = (explain(result, &needs), UnitFailure::from_snapshot(&current));
            let journal = Journal::read(cx, unit, Some(began)).await;
            Err(Error::msg(format!("could not {} {unit}: {result}{failure}{journal}", kind.verb())))
        }
        None => {
            let current = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
            let (verb, state) = (kind.verb(), current.facts.state());
            let journal = Journal::read(cx, unit, Some(began)).await;
            Err(Error::msg(format!("{unit} did not {verb} within {limit:?}: it is still {state}{journal}")))
        }
    }
}

/// Describes the result of a job other than `done`.
///
/// `needs` are required units that do not run, with their states: `db.service (failed)`.
fn explain(result: &str, needs: &[String]) -> String {
    let words = match result {
        "failed" => "it failed",
        "timeout" => "its job took longer than the unit allows",
        "dependency" if !needs.is_empty() => return format!("it needs {}", needs.join(" and ")),
        "dependency" => "a unit that it needs could not be started",
        "canceled" => "another job replaced this one",
        "skipped" => "the job does not apply to its current state",
        "assert" => "an assertion in its file does not hold",
        "invalid" => "not possible in its current state",
        "unsupported" => "this machine does not support units of its kind",
        "collected" => "nothing refers to it",
        "once" => "it is started only once, and was already",
        other => return format!("systemd says {other:?}"),
    };
    words.to_owned()
}

/// Returns the time limit of a job, from the unit's own settings.
fn limit(snapshot: &UnitSnapshot, kind: JobKind) -> Duration {
    let setting = |name: &str| match snapshot.own.number(name) {
        0 => snapshot.own.number("TimeoutUSec"),
        number => number,
    };
    let time = |name: &str| {
        Some(setting(name)).filter(|time| (1..u64::MAX).contains(time)).map(Duration::from_micros)
    };
    let (start, stop) = (time("TimeoutStartUSec"), time("TimeoutStopUSec"));
    let total = start.zip(stop).map(|(start, stop)| start.saturating_add(stop));
    let time = match kind {
        JobKind::Start | JobKind::Reload => total,
        // A process that does not stop when asked is killed, and has the same time again.
        JobKind::Stop => stop.map(|stop| stop.saturating_mul(2)),
        JobKind::Restart | JobKind::TryRestart => total.map(|both| both.saturating_mul(2)),
    };
    time.map_or(LONGEST, |time| time.saturating_add(GRACE))
}

/// Checks that a started unit keeps running.
async fn stays(cx: &Context, manager: &Manager, name: &UnitName, began: SystemTime) -> Result<()> {
    let mut snapshot = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
    // Other types report when they are started, or have no process that could end.
    let silent = matches!(snapshot.own.text("Type"), "simple" | "exec" | "idle");
    let mut waited = Duration::ZERO;
    while silent && waited < SETTLE && keeps_running(&snapshot) {
        cx.system().clock().sleep(LOOK).await;
        waited += LOOK;
        snapshot = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
    }
    if keeps_running(&snapshot) || has_done_its_work(&snapshot) {
        return Ok(());
    }
    let unit = snapshot.facts.id.clone();
    let conditions = conditions(&snapshot);
    if !conditions.is_empty() {
        return Err(Error::msg(format!(
            "{unit} was not started, as a condition in its file does not hold: {}",
            conditions.join(", ")
        )));
    }
    let journal = Journal::read(cx, &unit, Some(began)).await;
    let (state, failure) = (snapshot.facts.state(), UnitFailure::from_snapshot(&snapshot));
    Err(Error::msg(format!("{unit} was started, and did not keep running: it is {state}{failure}{journal}")))
}

/// Whether the unit runs, without a restart since.
fn keeps_running(snapshot: &UnitSnapshot) -> bool {
    snapshot.facts.active.is_up() && snapshot.own.number("NRestarts") == 0
}

/// Whether the unit was started for a single operation, and has completed it.
fn has_done_its_work(snapshot: &UnitSnapshot) -> bool {
    snapshot.facts.ends_by_itself
        && snapshot.facts.active == Active::Inactive
        && conditions(snapshot).is_empty()
        && matches!(snapshot.own.text("Result"), "success" | "")
}
