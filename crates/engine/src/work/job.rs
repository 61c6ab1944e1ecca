//! The job of one node: its `when`, and all attempts.

use std::sync::Arc;
use std::time::Duration;

use super::attempt::{Attempt, AttemptState};
use super::attempt_progress::{AttemptProgress, PlannedChange, ResumePoint};
use super::expand::{self, Expanded, Expansion};
use crate::events::failed_attempt::FailedAttempt;
use crate::events::outcome::Outcome;
use crate::events::progress::{JobProgress, ProgressReceiver};
use crate::events::report::{Failure, ResourceReport, Stage};
use crate::graph::{Meta, NodeIndex, Retry};
use crate::inputs::condition::{self, Condition};
use crate::inputs::planned_exports::unknown_exports;
use crate::inputs::rendering::evaluate;
use crate::persistence::shared_locks::Refused;
use crate::sdk::export::Exports;
use crate::sdk::status::StatusLevel;
use crate::tables::run_tables::Shared;
use crate::types::footprint::Footprint;
use crate::types::panic_guard::guarded;

/// The maximum delay between two attempts.
const MAX_RETRY_DELAY: Duration = Duration::from_hours(1);

const NOT_AGAIN: &str = "not retried because the run was interrupted";

/// The result of a job.
#[derive(Debug)]
pub(crate) struct Completion {
    /// The report, boxed because it is moved several times.
    pub(crate) report: Box<ResourceReport>,
    /// The exports that others may look up, or `None` if none can.
    pub(crate) exports: Option<Box<Exports>>,
    /// Plan: the footprint, if only the values showed it.
    pub(crate) footprint: Option<Box<Footprint>>,
}

impl Completion {
    /// Creates the completion of a node without exports or a footprint.
    pub(crate) fn from_report(report: Box<ResourceReport>) -> Self {
        Self { report, exports: None, footprint: None }
    }
}

/// The progress of a job.
pub(crate) enum JobStatus {
    Completed(Completion),
    Pending(Box<PendingApply>),
    /// The job expanded a `for_each`; the instances have to be worked on first.
    Expanded(Expansion),
}

impl JobStatus {
    pub(super) fn add_elapsed(&mut self, time: Duration) {
        let report = match self {
            Self::Completed(completion) => &mut completion.report,
            Self::Pending(pending) => &mut pending.job.report,
            Self::Expanded(_) => return,
        };
        report.elapsed += time;
    }
}

/// A checked node that waits for the scheduler, which owns it until the apply.
pub(crate) struct PendingApply {
    pub(crate) job: Job,
    pub(crate) change: Box<PlannedChange>,
}

impl PendingApply {
    /// Completes the node when the run is interrupted before the apply.
    pub(crate) fn not_run(self) -> Completion {
        let Self { mut job, change } = self;
        // The task is third-party code, so dropping it may panic.
        if let Err(panic) = guarded(|| drop(change)) {
            return job.failed(Failure::new(Stage::Apply, format!("the resource panicked: {panic}")));
        }
        if let Some(failure) = job.failure.take() {
            job.report.messages.push(NOT_AGAIN.to_owned());
            return job.failed(failure);
        }
        Completion::from_report(Box::new(ResourceReport::new(job.report.id, Outcome::NotRun)))
    }

    /// Completes the node when it must not be applied.
    pub(crate) fn refused(self, reason: &Refused) -> Completion {
        let Self { job, change } = self;
        if let Err(panic) = guarded(|| drop(change)) {
            return job.failed(Failure::new(Stage::Apply, format!("the resource panicked: {panic}")));
        }
        job.failed(Failure::new(Stage::Apply, reason.to_string()))
    }
}

/// The work on one node, across attempts.
pub(crate) struct Job {
    pub(crate) index: NodeIndex,
    pub(crate) report: Box<ResourceReport>,
    marks: AttemptState,
    /// Plan: the footprint, if only the values showed it.
    footprint: Option<Box<Footprint>>,
    /// The number of the current attempt.
    number: u32,
    /// The failure of the previous attempt.
    failure: Option<Failure>,
}

impl Job {
    /// Begins the work on a node.
    pub(super) async fn begin(
        shared: &Arc<Shared>,
        progress_sink: &Arc<dyn ProgressReceiver>,
        index: NodeIndex,
    ) -> JobStatus {
        let node = shared.graph.node(index);
        let report = Box::new(ResourceReport::new(node.id.clone(), Outcome::Unchanged));
        let marks = AttemptState::default();
        let mut job = Self { index, report, marks, footprint: None, number: 1, failure: None };
        let guarded = ReportGuard::new(shared, &mut job);
        let worked = match &node.meta {
            Some(meta) if meta.deferred.is_some() => {
                let expanded = Box::pin(expand::expand(shared, index)).await;
                guarded.ended();
                return job.into_expanded(expanded);
            }
            None => guarded.job.attempt(shared, progress_sink).run(ResumePoint::Start, None).await,
            Some(meta) => Box::pin(guarded.job.with_meta(shared, progress_sink, meta)).await,
        };
        guarded.ended();
        job.into_status(shared, worked)
    }

    /// Continues the work on a node.
    pub(super) async fn resume(
        mut self,
        shared: &Arc<Shared>,
        tells: &Arc<dyn ProgressReceiver>,
        at: ResumePoint,
    ) -> JobStatus {
        let guarded = ReportGuard::new(shared, &mut self);
        let worked = guarded.job.attempts(shared, tells, at).await;
        guarded.ended();
        self.into_status(shared, worked)
    }

    pub(super) fn attempt<'a>(
        &'a mut self,
        shared: &'a Arc<Shared>,
        tells: &'a Arc<dyn ProgressReceiver>,
    ) -> Attempt<'a> {
        Attempt::new(shared, tells, &mut self.report, &mut self.marks, &mut self.footprint, self.index)
    }

    fn into_status(self, shared: &Shared, worked: Result<AttemptProgress, Failure>) -> JobStatus {
        let completion = match worked {
            Ok(AttemptProgress::Planned(change)) => {
                return JobStatus::Pending(Box::new(PendingApply { job: self, change }));
            }
            Ok(AttemptProgress::Finished(exports)) => {
                let exports = exports.filter(|_| shared.is_read(self.index)).map(Box::new);
                Completion { report: self.report, exports, footprint: self.footprint }
            }
            Err(failure) => self.failed(failure),
        };
        let report = &completion.report;
        tracing::info!(id = %report.id, outcome = ?report.outcome, level = %report.level, "handled");
        JobStatus::Completed(completion)
    }

    fn into_expanded(mut self, expanded: Result<Expanded, Failure>) -> JobStatus {
        let completion = match expanded {
            Ok(Expanded::Instances(instances)) => return JobStatus::Expanded(instances),
            Ok(Expanded::Settled) => Completion::from_report(self.report),
            Ok(Expanded::KnownLater(difference)) => {
                self.report.outcome = Outcome::MayChange;
                self.report.level = StatusLevel::MayChange;
                self.report.differences.push(difference);
                Completion::from_report(self.report)
            }
            Err(failure) => {
                self.report.level = StatusLevel::Fatal;
                self.failed(failure)
            }
        };
        JobStatus::Completed(completion)
    }

    fn failed(mut self, failure: Failure) -> Completion {
        self.report.outcome = Outcome::Failed;
        self.report.failure = Some(failure);
        Completion::from_report(self.report)
    }

    /// Works on a node with meta-arguments. A gate has nothing but its `when`.
    async fn with_meta(
        &mut self,
        shared: &Arc<Shared>,
        tells: &Arc<dyn ProgressReceiver>,
        meta: &Meta,
    ) -> Result<AttemptProgress, Failure> {
        let node = shared.graph.node(self.index);
        let report = &mut self.report;
        let condition = match &meta.when {
            Some(_) => {
                let evaluated = evaluate(shared, self.index, condition::evaluate).await;
                let evaluated =
                    evaluated.unwrap_or_else(|error| Err(Failure::new(Stage::Render, error.to_string())));
                evaluated.inspect_err(|_| report.level = StatusLevel::Fatal)?
            }
            None => Condition::True,
        };
        match condition {
            Condition::True if node.role.is_structure() => Ok(AttemptProgress::Finished(None)),
            Condition::True => self.attempts(shared, tells, ResumePoint::Start).await,
            Condition::False(skipped) => {
                report.outcome = Outcome::NotTaken;
                report.skipped = Some(skipped);
                Ok(AttemptProgress::Finished(None))
            }
            Condition::Unknown(skipped) => {
                report.outcome = Outcome::MayChange;
                report.level = StatusLevel::MayChange;
                report.skipped = Some(skipped);
                Ok(AttemptProgress::Finished(Some(unknown_exports(node))))
            }
        }
    }

    /// Runs attempts until one succeeds or none are left.
    ///
    /// Failures to render are not retried, because the module does not change. Drift is not retried, because
    /// it needs a new approval.
    async fn attempts(
        &mut self,
        shared: &Arc<Shared>,
        tells: &Arc<dyn ProgressReceiver>,
        mut at: ResumePoint,
    ) -> Result<AttemptProgress, Failure> {
        let meta = shared.graph.node(self.index).meta.as_deref();
        let (timeout, retry) = meta.map_or((None, None), |meta| (meta.timeout, meta.retry));
        loop {
            let failure = match self.attempt(shared, tells).run(at, timeout).await {
                Ok(progress) => return Ok(progress),
                Err(failure) => failure,
            };
            let Some(retry) = retry.filter(|retry| self.number < retry.attempts.get()) else {
                return Err(failure);
            };
            if failure.stage == Stage::Render || self.marks.drifted || shared.finish.is_cancelled() {
                return Err(failure);
            }
            let (number, attempts) = (self.number, retry.attempts);
            let messages = &mut self.report.messages;
            messages.push(format!("attempt {number} of {attempts} failed: {}", failure.message));
            let wait = retry_delay(&retry, number);
            let reason = failure.message.clone();
            let failed = FailedAttempt { attempt: number, attempts: attempts.get(), wait, reason };
            tells.tell(self.index, JobProgress::Retrying(Box::new(failed)));
            // An interrupt ends the delay, because another attempt would be new work.
            let interrupted = tokio::time::timeout(wait, shared.finish.cancelled()).await;
            if interrupted.is_ok() {
                messages.push(NOT_AGAIN.to_owned());
                return Err(failure);
            }
            self.number += 1;
            self.failure = Some(failure);
            self.report.level = StatusLevel::NoChange;
            at = ResumePoint::Start;
        }
    }
}

/// Keeps the report of a node if its work is dropped.
struct ReportGuard<'a> {
    shared: &'a Shared,
    job: &'a mut Job,
    ended: bool,
}

impl<'a> ReportGuard<'a> {
    fn new(shared: &'a Shared, job: &'a mut Job) -> Self {
        Self { shared, job, ended: false }
    }

    fn ended(mut self) {
        self.ended = true;
    }
}

impl Drop for ReportGuard<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.shared.unfinished.keep(self.job.index, self.job.report.clone());
        }
    }
}

/// Returns the delay after an attempt.
fn retry_delay(retry: &Retry, attempt: u32) -> Duration {
    let factor = retry.backoff.max(0.0).powf(f64::from(attempt.saturating_sub(1)));
    // A longer delay in the module takes precedence over the maximum.
    let longest = MAX_RETRY_DELAY.max(retry.delay);
    let grown = Duration::try_from_secs_f64(retry.delay.as_secs_f64() * factor);
    // The conversion fails if the delay is too long, or for zero times infinity.
    grown.unwrap_or(if retry.delay.is_zero() { Duration::ZERO } else { longest }).min(longest)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let check = |delay: u64, backoff, attempt, expect: u64| {
            let retry = Retry { attempts: NonZeroU32::MAX, delay: Duration::from_secs(delay), backoff };
            assert_eq!(
                retry_delay(&retry, attempt),
                Duration::from_secs(expect),
                "{delay} {backoff} {attempt}"
            );
        };
        check(5, 1.0, 1, 5);
        check(5, 1.0, 9, 5);
        check(5, 2.0, 1, 5);
        check(5, 2.0, 4, 40);
        check(5, 2.0, 4_000_000_000, 3600);
        check(0, 2.0, 7, 0);
        check(0, 2.0, 4_000_000_000, 0);
        check(5, -1.0, 3, 0);
        check(5, f64::NAN, 3, 0);
        check(7200, 1.0, 1, 7200);
        check(7200, 2.0, 3, 7200);
    }
}
