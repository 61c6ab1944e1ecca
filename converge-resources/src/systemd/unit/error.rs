//! Why a unit is not as it is declared to be.

use std::fmt;
use std::time::Duration;

use super::failure::Failure;
use super::journal::Journal;
use crate::systemd::manager::JobKind;

/// What cannot be done, as can be told before anything is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    /// There is no such unit.
    #[error(
        "unit {unit:?} does not exist: install what brings it, or write its file first and depend on that"
    )]
    NotFound { unit: String },
    /// It is masked, and nobody said that this should change.
    #[error("{unit} is masked, so it cannot be {verb}: `masked = false` takes that away")]
    Masked { unit: String, verb: &'static str },
    /// Its file is wrong.
    #[error("{unit} cannot be started, as its file is wrong: {reason}")]
    Bad { unit: String, reason: String },
    /// systemd does this only when other units ask for it.
    #[error("{unit} cannot be {verb} by itself: systemd only does that when another unit asks for it")]
    ByHand { unit: String, verb: &'static str },
    /// It runs, and ends.
    #[error(
        "{unit} is of Type=oneshot and ends when its work is done, so it is never running: write \
         RemainAfterExit=yes in its file, or `state = \"restarted\"` to run it"
    )]
    NeverStays { unit: String },
}

/// What went wrong with a unit.
#[derive(Debug, thiserror::Error)]
pub(super) enum UnitError {
    /// systemd refused for a reason that is more about the unit than about the bus.
    #[error("{reason}{journal}")]
    Refused { reason: Refusal, journal: Journal },
    /// The job came out badly.
    #[error("could not {} {unit}: {result}{failure}{journal}", .kind.verb())]
    Job { unit: String, kind: JobKind, result: JobResult, failure: Failure, journal: Journal },
    /// The job did not end.
    #[error("{unit} did not {} within {after:?}: it is still {state}{journal}", .kind.verb())]
    NotReady { unit: String, kind: JobKind, after: Duration, state: String, journal: Journal },
    /// It was started, and did not stay.
    #[error("{unit} was started, and did not keep running: it is {state}{failure}{journal}")]
    Died { unit: String, state: String, failure: Failure, journal: Journal },
    /// It was not started because of what its file asks for.
    #[error("{unit} was not started, as a condition in its file does not hold: {}", .conditions.join(", "))]
    Conditions { unit: String, conditions: Vec<String> },
    /// Its file stands where the link that masks it would be.
    #[error(
        "{unit} cannot be masked, as its file is in /etc/systemd/system, where the link that masks a unit goes: \
         move it to /usr/local/lib/systemd/system ({reason})"
    )]
    FileInTheWay { unit: String, reason: String },
}

/// systemd's word for how a job came out, which was not `done`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JobResult {
    pub(super) word: String,
    /// The units that it needs and that do not run, with what they are: `db.service (failed)`.
    pub(super) needs: Vec<String>,
}

impl fmt::Display for JobResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.word.as_str() {
            "failed" => "it failed",
            "timeout" => "its job took longer than the unit allows",
            "dependency" if !self.needs.is_empty() => {
                return write!(f, "it needs {}", self.needs.join(" and "));
            }
            "dependency" => "a unit that it needs could not be started",
            "canceled" => "another job took the place of this one",
            "skipped" => "that does not apply to it as it is",
            "assert" => "an assertion in its file does not hold",
            "invalid" => "that is not possible as it is",
            "unsupported" => "this machine does not support units of its kind",
            "collected" => "nothing refers to it any more",
            "once" => "it is started only once, and was already",
            other => return write!(f, "systemd says {other:?}"),
        })
    }
}
