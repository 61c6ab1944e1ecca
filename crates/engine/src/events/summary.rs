//! The number of resources by outcome.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::outcome::Outcome;
use super::report::ResourceReport;
use super::seconds;

/// The number of resources by outcome.
///
/// Parameters, modules, switches and cases do not count. If one of them fails, [`failed`](Self::failed)
/// includes it, so that a run with an error is never a success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Summary {
    /// The number of resources with [`Outcome::Unchanged`].
    pub unchanged: usize,
    /// The number of resources with [`Outcome::WillChange`].
    pub will_change: usize,
    /// The number of resources with [`Outcome::MayChange`].
    pub may_change: usize,
    /// The number of resources with [`Outcome::Changed`].
    pub changed: usize,
    /// The number of nodes with [`Outcome::Failed`].
    pub failed: usize,
    /// The number of resources with [`Outcome::Skipped`].
    pub skipped: usize,
    /// The number of resources with [`Outcome::NotRun`].
    pub not_run: usize,
    /// The number of resources with [`Outcome::NotTaken`].
    pub not_taken: usize,
    /// The number of optional resources that failed, and of resources skipped only because of these.
    ///
    /// They are in no other count.
    #[serde(default)]
    pub forgiven: usize,
    /// The number of resources that the run did not [cover](crate::Run::target).
    ///
    /// They are in no other count.
    #[serde(default)]
    pub left_out: usize,
    /// The number of corrected differences.
    ///
    /// They are those of [changed](Self::changed) resources, or in a plan of those that [will
    /// change](Self::will_change).
    #[serde(default)]
    pub changes: usize,
    /// Whether the run ended because the machine is [booting](converge_sdk::Error::Booting).
    ///
    /// The resources that were [not run](Self::not_run) are left for the next run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_booting: bool,
    /// The duration of the run.
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

    /// Counts a resource as failed that was counted with another outcome before.
    pub fn count_undone(&mut self, was: Outcome, report: &ResourceReport) {
        let counter = self.counter(was);
        *counter = counter.saturating_sub(1);
        self.count_report(report);
    }

    /// Counts one resource.
    pub fn count(&mut self, outcome: Outcome) {
        *self.counter(outcome) += 1;
    }

    fn counter(&mut self, outcome: Outcome) -> &mut usize {
        match outcome {
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::WillChange => &mut self.will_change,
            Outcome::MayChange => &mut self.may_change,
            Outcome::Changed => &mut self.changed,
            Outcome::Failed => &mut self.failed,
            Outcome::Skipped => &mut self.skipped,
            Outcome::NotRun => &mut self.not_run,
            Outcome::NotTaken => &mut self.not_taken,
        }
    }

    /// Whether every resource was handled without an error.
    pub fn is_success(&self) -> bool {
        self.failed + self.skipped + self.not_run == 0
    }

    /// Whether an apply would change anything.
    pub fn has_changes(&self) -> bool {
        self.will_change + self.may_change > 0
    }
}

/// Formats the summary for a log: failed and unchanged always, other counts if they are not zero.
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
