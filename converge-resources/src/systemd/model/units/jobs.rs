use std::time::Duration;

use converge_sdk::system::Machine;

use super::Refused;
use super::files::{Files, Settings};
use super::state::{Running, exists, load_state, read};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Start,
    Stop,
    Restart,
    TryRestart,
    Reload,
}

/// The result and the duration of a start or a stop.
struct JobOutcome {
    takes: Duration,
    /// The result of the job in systemd's word.
    result: &'static str,
    /// The state of the unit afterwards; `None` if it does not run.
    then: Option<Running>,
}

impl JobOutcome {
    fn now(result: &'static str, next: Option<Running>) -> Self {
        Self { takes: Duration::ZERO, result, then: next }
    }
}

/// Returns the duration and the success of a program, or `None` if it runs until it is stopped.
fn ends(line: &str) -> Option<(Duration, bool)> {
    let mut words = line.split_whitespace();
    let program = words.next().unwrap_or_default();
    match program.rsplit('/').next().unwrap_or(program) {
        "true" => Some((Duration::ZERO, true)),
        "false" => Some((Duration::ZERO, false)),
        "sleep" => {
            let seconds = words.next().and_then(|time| time.parse().ok());
            seconds.map(|seconds| (Duration::from_secs(seconds), true))
        }
        _ => None,
    }
}

fn failed(result: &str, starts: u32) -> Running {
    Running { result: result.to_owned(), ..Running::new("failed", "failed", starts) }
}

/// Returns the outcome of a start.
fn started(unit: &str, settings: &Settings, starts: u32) -> JobOutcome {
    let (_, suffix) = unit.rsplit_once('.').unwrap_or_default();
    let sub = match suffix {
        "service" => return started_service(settings, starts),
        "timer" | "path" | "automount" => "waiting",
        "socket" => "listening",
        "mount" => "mounted",
        _ => "active",
    };
    JobOutcome::now("done", Some(Running::new("active", sub, starts)))
}

fn started_service(settings: &Settings, starts: u32) -> JobOutcome {
    let mut duration = Duration::ZERO;
    let (before, patience) = (settings.all("Service", "ExecStartPre"), settings.patience());
    for (time, is_good) in before.filter_map(ends) {
        duration += time;
        if !is_good {
            return JobOutcome { takes: duration, result: "failed", then: Some(failed("exit-code", starts)) };
        }
        if duration >= patience {
            return JobOutcome { takes: patience, result: "timeout", then: Some(failed("timeout", starts)) };
        }
    }
    let line = settings.one("Service", "ExecStart").unwrap_or_default();
    let runs = |sub| Some(Running::new("active", sub, starts));
    let stays = if settings.is_yes("Service", "RemainAfterExit") { runs("exited") } else { None };
    let (result, next) = match (settings.kind(), ends(line)) {
        ("oneshot", Some((time, true))) => {
            duration += time;
            ("done", stays)
        }
        ("oneshot", Some(_)) => ("failed", Some(failed("exit-code", starts))),
        // The program never reports that it is ready.
        ("notify", _) if !line.contains("systemd-notify --ready") => {
            return JobOutcome { takes: patience, result: "timeout", then: Some(failed("timeout", starts)) };
        }
        // The job is done as soon as the process exists, whatever happens to it later.
        (_, Some((_, false))) => ("done", Some(failed("exit-code", starts))),
        (_, Some((Duration::ZERO, true))) => ("done", stays),
        _ => ("done", runs("running")),
    };
    JobOutcome { takes: duration, result, then: next }
}

/// A started job: its duration, and the result to [apply at its end](finish).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StartedJob {
    pub(crate) takes: Duration,
    pub(crate) result: &'static str,
    unit: String,
    /// The state of the unit during the job.
    ///
    /// `finish` compares it to notice that another job has replaced this one.
    meanwhile: Option<Running>,
    then: Option<Running>,
}

/// Starts a job. A job without a duration is finished at once.
pub(crate) fn begin(machine: &mut Machine, unit: &str, job: Job) -> Result<StartedJob, Refused> {
    let running = Running::from_fact(machine, unit);
    let files = read(machine, unit);
    let settings = Settings::from_files(&files);
    let is_up = running.as_ref().is_some_and(Running::is_up);
    let starts = running.as_ref().map_or(0, |running| running.starts);
    let is_starting = running.as_ref().is_some_and(|running| running.active == "activating");
    let nothing = JobOutcome::now("done", running.clone());
    let course = match job {
        Job::Stop => {
            if !exists(machine, unit) {
                return Err(Refused::no_unit(format!("Unit {unit} not loaded.")));
            }
            by_hand(unit, &settings, "RefuseManualStop")?;
            match &running {
                Some(running) if running.active != "failed" => stopped(&settings),
                _ => nothing,
            }
        }
        Job::Start | Job::Restart | Job::TryRestart => {
            can_start(unit, &files, &settings)?;
            match job {
                Job::Start if is_up => nothing,
                Job::TryRestart if !is_up => nothing,
                _ if is_starting => started(unit, &settings, starts),
                _ if is_up => started(unit, &settings, starts + 1),
                _ => started(unit, &settings, 1),
            }
        }
        Job::Reload => reloaded(unit, &settings, running.as_ref().filter(|_| is_up))?,
    };
    let meanwhile = if job == Job::Stop {
        let running = running.unwrap_or_else(|| Running::new("", "", 0));
        Running { active: "deactivating".to_owned(), sub: "stop".to_owned(), ..running }
    } else {
        let starts = course.then.as_ref().map_or(1, |next| next.starts);
        Running::new("activating", "start-pre", starts)
    };
    let JobOutcome { takes, result, then } = course;
    let mut start = StartedJob { takes, result, unit: unit.to_owned(), meanwhile: None, then };
    if takes.is_zero() {
        start.settle(machine);
    } else {
        meanwhile.keep(machine, unit);
        start.meanwhile = Some(meanwhile);
    }
    Ok(start)
}

impl StartedJob {
    fn settle(&self, machine: &mut Machine) {
        match &self.then {
            Some(next) => next.keep(machine, &self.unit),
            None => Running::forget(machine, &self.unit),
        }
    }
}

/// Finishes a job after its duration, and returns its result in systemd's word.
pub(crate) fn finish(machine: &mut Machine, start: &StartedJob) -> &'static str {
    if start.meanwhile.is_some() && Running::from_fact(machine, &start.unit) != start.meanwhile {
        return "canceled";
    }
    start.settle(machine);
    start.result
}

fn stopped(settings: &Settings) -> JobOutcome {
    let duration = settings.all("Service", "ExecStop").filter_map(ends).map(|(time, _)| time).sum();
    JobOutcome { takes: duration, result: "done", then: None }
}

fn reloaded(unit: &str, settings: &Settings, running: Option<&Running>) -> Result<JobOutcome, Refused> {
    let Some(line) = settings.one("Service", "ExecReload") else {
        let message = format!("Job type reload is not applicable for unit {unit}.");
        return Err(Refused::new("org.freedesktop.systemd1.JobTypeNotApplicable", message));
    };
    let Some(running) = running else { return Ok(JobOutcome::now("invalid", None)) };
    let mut next = running.clone();
    let is_good = ends(line).is_none_or(|(_, is_good)| is_good);
    if is_good {
        next.received.push("reload".to_owned());
    }
    Ok(JobOutcome::now(if is_good { "done" } else { "failed" }, Some(next)))
}

fn can_start(unit: &str, files: &Files, settings: &Settings) -> Result<(), Refused> {
    match load_state(unit, files) {
        "not-found" => Err(Refused::no_unit(format!("Unit {unit} not found."))),
        "masked" => {
            Err(Refused::new("org.freedesktop.systemd1.UnitMasked", format!("Unit {unit} is masked.")))
        }
        "bad-setting" => Err(Refused::new(
            "org.freedesktop.systemd1.BadUnitSetting",
            format!("Unit {unit} has a bad unit file setting."),
        )),
        _ => by_hand(unit, settings, "RefuseManualStart"),
    }
}

fn by_hand(unit: &str, settings: &Settings, refuses: &str) -> Result<(), Refused> {
    if !settings.is_yes("Unit", refuses) {
        return Ok(());
    }
    let message = format!(
        "Operation refused, unit {unit} may be requested by dependency only (it is configured to refuse manual start/stop)."
    );
    Err(Refused::new("org.freedesktop.systemd1.OnlyByDependency", message))
}

pub(crate) fn reset_failed(machine: &mut Machine, unit: &str) -> Result<(), Refused> {
    let Some(running) = Running::from_fact(machine, unit) else {
        return Err(Refused::no_unit(format!("Unit {unit} not loaded.")));
    };
    if running.active == "failed" {
        Running::forget(machine, unit);
    }
    Ok(())
}

/// Sends a signal to all processes of a unit.
///
/// `sleep` ends at any signal, and other programs only at `KILL`.
pub(crate) fn kill(machine: &mut Machine, unit: &str, signal: i32) {
    let Some(mut running) = Running::from_fact(machine, unit).filter(Running::is_up) else { return };
    let settings = Settings::from_files(&read(machine, unit));
    let line = settings.one("Service", "ExecStart").unwrap_or_default();
    let is_sleep = line.split_whitespace().next().is_some_and(|program| program.ends_with("/sleep"));
    // HUP, INT, PIPE and TERM count as a clean end.
    match signal {
        1 | 2 | 13 | 15 if is_sleep => Running::forget(machine, unit),
        9 => end_by_signal(machine, unit, running.starts),
        _ if is_sleep => end_by_signal(machine, unit, running.starts),
        _ => {
            running.received.push(signal.to_string());
            running.keep(machine, unit);
        }
    }
}

fn end_by_signal(machine: &mut Machine, unit: &str, starts: u32) {
    failed("signal", starts).keep(machine, unit);
}
