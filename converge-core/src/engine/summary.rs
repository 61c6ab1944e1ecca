//! How many resources had each outcome.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use super::report::ResourceReport;
use super::seconds;

/// How many resources had each outcome. A parameter is none, and neither are modules, switches and cases; but where one of them
/// fails, [`failed`](Self::failed) counts that too, so that a run with a mistake is never a success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// [`Outcome::Unchanged`].
    pub unchanged: usize,
    /// [`Outcome::WillChange`].
    pub will_change: usize,
    /// [`Outcome::MayChange`].
    pub may_change: usize,
    /// [`Outcome::Changed`].
    pub changed: usize,
    /// [`Outcome::Failed`].
    pub failed: usize,
    /// [`Outcome::Skipped`].
    pub skipped: usize,
    /// [`Outcome::NotRun`].
    pub not_run: usize,
    /// [`Outcome::NotTaken`].
    pub not_taken: usize,
    /// How many failed and are optional, or were skipped only for what failed and is; they are in none of the other counts.
    #[serde(default)]
    pub forgiven: usize,
    /// How many the run was not [about](super::Run::target); they are in none of the other counts.
    #[serde(default)]
    pub left_out: usize,
    /// How many differences were corrected in what [changed](Self::changed), or would be in what
    /// [will change](Self::will_change).
    #[serde(default)]
    pub changes: usize,
    /// Whether the run ended because the machine is [booting](crate::Error::Booting): what is [not run](Self::not_run) is for the next one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_booting: bool,
    /// How long the run took.
    #[serde(rename = "elapsed_seconds", with = "seconds")]
    pub elapsed: Duration,
}

impl Summary {
    /// Counts one resource with its differences.
    pub fn count_report(&mut self, report: &ResourceReport) {
        if report.is_forgiven() {
            self.forgiven += 1;
            return;
        }
        self.count(report.outcome);
        if matches!(report.outcome, Outcome::Changed | Outcome::WillChange) {
            self.changes += report.differences.iter().filter(|difference| difference.changes).count();
        }
    }

    /// Counts one resource.
    pub fn count(&mut self, outcome: Outcome) {
        let counter = match outcome {
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::WillChange => &mut self.will_change,
            Outcome::MayChange => &mut self.may_change,
            Outcome::Changed => &mut self.changed,
            Outcome::Failed => &mut self.failed,
            Outcome::Skipped => &mut self.skipped,
            Outcome::NotRun => &mut self.not_run,
            Outcome::NotTaken => &mut self.not_taken,
        };
        *counter += 1;
    }

    /// Whether every resource was handled without an error.
    pub fn is_success(&self) -> bool {
        self.failed + self.skipped + self.not_run == 0
    }

    /// Whether there is something that an apply would do.
    pub fn has_changes(&self) -> bool {
        self.will_change + self.may_change > 0
    }
}

/// For a log: what failed and what is unchanged always, and of the rest what there is some of.
///
/// ```
/// use converge_core::engine::{Outcome, Summary};
///
/// let mut summary = Summary::default();
/// summary.count(Outcome::Changed);
/// assert_eq!(summary.to_string(), "1 changed, 0 failed, 0 unchanged");
/// ```
impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sometimes =
            [(self.will_change, "to change"), (self.may_change, "may change"), (self.changed, "changed")];
        for (number, words) in sometimes.into_iter().filter(|(number, _)| *number > 0) {
            write!(f, "{number} {words}, ")?;
        }
        write!(f, "{} failed, ", self.failed)?;
        let sometimes = [
            (self.skipped, "skipped"),
            (self.not_run, "not run"),
            (self.not_taken, "not taken"),
            (self.left_out, "left out"),
            (self.forgiven, "optional and not done"),
        ];
        for (number, words) in sometimes.into_iter().filter(|(number, _)| *number > 0) {
            write!(f, "{number} {words}, ")?;
        }
        write!(f, "{} unchanged", self.unchanged)
    }
}
