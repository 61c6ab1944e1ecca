//! Where the work on a node stands when it passes from one hand to the next.

use super::report::{Failure, Stage};
use super::timeout::Paused;
use crate::sdk::context::Refreshing;
use crate::sdk::error::Result;
use crate::sdk::export::Exports;
use crate::sdk::registry::AnyTask;
use crate::sdk::status::Status;

/// How far an attempt came.
pub(super) enum AttemptProgress {
    Finished(Option<Exports>),
    /// The machine is to be changed, when the scheduler allows it. Boxed: what is in order, as most is, goes through as many hands.
    Planned(Box<PlannedChange>),
}

/// A task whose check found something to change.
pub(super) struct PlannedChange {
    pub(super) task: Box<dyn AnyTask>,
    pub(super) checked: Status,
    /// What is to be done: apply, or refresh where nothing differs.
    pub(super) stage: Stage,
    /// Whether a refresh is pending, which an apply has to bring about as well.
    pub(super) refreshing: Refreshing,
    /// What is left of the time of the attempt, while it waits.
    pub(super) paused: Option<Paused>,
}

impl PlannedChange {
    /// Whether it can be made together with others. A refresh cannot be done for several at once, and a batch has one
    /// context, which cannot say for which members a refresh is pending.
    pub(super) fn fits_a_batch(&self) -> bool {
        self.stage == Stage::Apply && self.refreshing != Refreshing::Now
    }
}

/// Where an attempt goes on.
pub(super) enum ResumePoint {
    Start,
    /// The machine may be changed.
    Apply(Box<PlannedChange>, Freshness),
    /// The same, but it is the batch that changes it.
    JoinBatch(Box<PlannedChange>, Freshness),
    /// A batch applied the task.
    Applied(Box<PlannedChange>, Result<Status>),
    /// It ended before its batch was applied.
    Finished(Result<Option<Exports>, Failure>),
}

/// Whether the check of a task still counts when it may be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    Fresh,
    /// Others changed the machine under the same lock since.
    Stale,
}
