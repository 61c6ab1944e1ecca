//! Runs jobs, and waits until the unit is as it should be.

use std::time::{Duration, SystemTime};

use converge_core::prelude::*;

use super::dependencies;
use super::failure::{UnitFailure, conditions};
use super::journal::Journal;
use super::name::UnitName;
use super::snapshot::{Active, UnitSnapshot};
use crate::systemd::bus::within;
use crate::systemd::manager::{JobKind, Manager};

/// How long a job may take when the unit has no end to it.
const LONGEST: Duration = Duration::from_mins(15);

/// What is added to the unit's own times, for the units that it waits for and for systemd to end what hangs.
const GRACE: Duration = Duration::from_secs(30);

/// How long a service has to run before it counts as running, when it says nothing itself. systemd's job for it ends when its
/// process is made, which is before it can fail. One that cannot run at all ends within a fraction of this time.
const SETTLE: Duration = Duration::from_secs(1);

/// How often it is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(100);

/// Does a job, and waits until the unit is as it should be.
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
        // Otherwise one that failed too often just before is not started at all, though it was mended since.
        manager.reset_failed(unit).await.map_err(Error::other)?;
    }
    let mut results = manager.listen(unit).await.map_err(Error::other)?;
    // It only makes errors better. Who may not ask for this may not begin the job either.
    let _held = manager.hold(unit).await;
    let job = manager.begin(unit, kind).await.map_err(Error::other)?;
    let limit = within(cx, limit(snapshot, kind));
    let result = results.of(&job, (kind, unit), limit).await.map_err(Error::other)?;
    match result.as_deref() {
        Some("done") if starts => stays(cx, manager, name, began).await,
        Some("done") => Ok(()),
        Some(result) => {
            let now = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
            let needs = match result {
                "dependency" => dependencies::missing(manager, &now).await,
                _ => Vec::new(),
            };
            let (result, failure) = (explain(result, &needs), UnitFailure::of(&now));
            let journal = Journal::of(cx, unit, Some(began)).await;
            Err(Error::msg(format!("could not {} {unit}: {result}{failure}{journal}", kind.verb())))
        }
        None => {
            let now = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
            let (verb, state) = (kind.verb(), now.facts.state());
            let journal = Journal::of(cx, unit, Some(began)).await;
            Err(Error::msg(format!("{unit} did not {verb} within {limit:?}: it is still {state}{journal}")))
        }
    }
}

/// What systemd's word says of a job that came out as anything but `done`. `needs` are the units that it needs and that do not
/// run, with what they are: `db.service (failed)`.
fn explain(result: &str, needs: &[String]) -> String {
    let words = match result {
        "failed" => "it failed",
        "timeout" => "its job took longer than the unit allows",
        "dependency" if !needs.is_empty() => return format!("it needs {}", needs.join(" and ")),
        "dependency" => "a unit that it needs could not be started",
        "canceled" => "another job took the place of this one",
        "skipped" => "that does not apply to it as it is",
        "assert" => "an assertion in its file does not hold",
        "invalid" => "that is not possible as it is",
        "unsupported" => "this machine does not support units of its kind",
        "collected" => "nothing refers to it any more",
        "once" => "it is started only once, and was already",
        other => return format!("systemd says {other:?}"),
    };
    words.to_owned()
}

/// How long a job may take, by the unit's own settings.
fn limit(snapshot: &UnitSnapshot, kind: JobKind) -> Duration {
    let setting = |name: &str| match snapshot.own.number(name) {
        0 => snapshot.own.number("TimeoutUSec"),
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
    let mut snapshot = UnitSnapshot::look(manager, name).await.map_err(Error::other)?;
    // Others are started when they say so, or have nothing that could end.
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
    let journal = Journal::of(cx, &unit, Some(began)).await;
    let (state, failure) = (snapshot.facts.state(), UnitFailure::of(&snapshot));
    Err(Error::msg(format!("{unit} was started, and did not keep running: it is {state}{failure}{journal}")))
}

/// Whether it runs, and has run without being started again since.
fn keeps_running(snapshot: &UnitSnapshot) -> bool {
    snapshot.facts.active.is_up() && snapshot.own.number("NRestarts") == 0
}

/// Whether it was there to do something, and has done it.
fn has_done_its_work(snapshot: &UnitSnapshot) -> bool {
    snapshot.facts.passing
        && snapshot.facts.active == Active::Inactive
        && conditions(snapshot).is_empty()
        && matches!(snapshot.own.text("Result"), "success" | "")
}
