//! The progress of an attempt between workers, scheduler and batches.

use super::timeout::Paused;
use crate::events::report::{Failure, Stage};
use crate::sdk::context::Refreshing;
use crate::sdk::error::Result;
use crate::sdk::export::Exports;
use crate::sdk::registry::AnyTask;
use crate::sdk::status::Status;

/// The progress of an attempt.
pub(super) enum AttemptProgress {
    Finished(Option<Exports>),
    /// The machine has to be changed once the scheduler allows it.
    ///
    /// The change is boxed, because most nodes need none and are moved just as often.
    Planned(Box<PlannedChange>),
}

/// A task whose check found a needed change.
pub(crate) struct PlannedChange {
    pub(super) task: Box<dyn AnyTask>,
    pub(super) checked: Status,
    /// The stage to run: apply, or refresh if nothing differs.
    pub(super) stage: Stage,
    /// Whether a refresh is pending, which an apply has to include.
    pub(super) refreshing: Refreshing,
    /// The remaining time of the attempt while it waits.
    pub(super) paused: Option<Paused>,
}

impl PlannedChange {
    /// Whether the change can be part of a batch.
    ///
    /// A refresh cannot: a batch has one context, which cannot tell which members have a pending refresh.
    pub(crate) fn fits_a_batch(&self) -> bool {
        self.stage == Stage::Apply && self.refreshing != Refreshing::Now
    }
}

/// The point at which an attempt continues.
pub(crate) enum ResumePoint {
    Start,
    /// The task may be applied.
    Apply(Box<PlannedChange>, Freshness),
    /// The task may be applied as a member of a batch.
    JoinBatch(Box<PlannedChange>, Freshness),
    /// A batch has applied the task.
    Applied(Box<PlannedChange>, Result<Status>),
    /// The attempt ended before its batch was applied.
    Finished(Result<Option<Exports>, Failure>),
}

/// Whether the check of a task is still valid when the task may be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freshness {
    Fresh,
    /// Others have changed the machine under the same lock since the check.
    Stale,
}
