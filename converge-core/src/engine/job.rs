//! The work on one node: whether it is handled at all, and as many attempts as it takes.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::UnboundedSender;

use super::attempt::{At, Attempt, Begun, Change, Reached};
use super::event::{Failure, Outcome, ResourceReport, Stage};
use super::limit::{Limit, Paused};
use super::planned::unknown_exports;
use super::shared::Shared;
use super::when::{self, Verdict};
use super::worker::Message;
use crate::export::Exports;
use crate::graph::{Meta, NodeIndex, Retry};
use crate::status::StatusLevel;

/// The longest wait between two attempts, however it grows.
const LONGEST_WAIT: Duration = Duration::from_hours(1);

/// What the work on one node leaves behind.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) report: ResourceReport,
    /// What others may look up; `None` when nobody can.
    pub(super) exports: Option<Box<Exports>>,
}

/// How far the work on a node came.
#[expect(clippy::large_enum_variant, reason = "nearly all are done, and a box for each would cost them")]
pub(super) enum Step {
    Done(Done),
    /// There is something to change, and others may have to come first, or to come with it.
    Held(Box<Held>),
}

impl Step {
    /// Counts time that the work took.
    pub(super) fn took(&mut self, time: Duration) {
        let report = match self {
            Self::Done(done) => &mut done.report,
            Self::Held(held) => &mut held.job.report,
        };
        report.elapsed += time;
    }
}

/// A node that waits for its turn. It is owned by who gives the turns, and by no worker.
pub(super) struct Held {
    pub(super) job: Job,
    pub(super) change: Change,
}

/// The work on one node, from attempt to attempt.
pub(super) struct Job {
    pub(super) index: NodeIndex,
    pub(super) report: ResourceReport,
    pub(super) begun: Begun,
    /// The number of the attempt.
    number: u32,
    /// Why the attempt before failed.
    failure: Option<Failure>,
}

/// Begins the work on a node.
pub(super) async fn begin(shared: &Arc<Shared>, tell: &UnboundedSender<Message>, index: NodeIndex) -> Step {
    let node = shared.graph.node(index);
    let mut job = Job {
        index,
        report: ResourceReport::new(node.id.clone(), Outcome::Unchanged),
        begun: Begun::Nothing,
        number: 1,
        failure: None,
    };
    let worked = match &node.meta {
        None => job.attempt(shared).run(At::Start, None).await,
        Some(meta) => Box::pin(job.with_meta(shared, tell, meta)).await,
    };
    job.step(shared, worked)
}

/// Goes on with the work on a node.
pub(super) async fn resume(
    shared: &Arc<Shared>,
    tell: &UnboundedSender<Message>,
    mut job: Job,
    at: At,
) -> Step {
    let worked = job.attempts(shared, tell, at).await;
    job.step(shared, worked)
}

impl Held {
    /// How it ends when its turn does not come, because the run is interrupted.
    pub(super) fn not_run(self) -> Done {
        let mut job = self.job;
        if let Some(failure) = job.failure.take() {
            job.report.messages.push(NOT_AGAIN.to_owned());
            return job.failed(failure);
        }
        Done { report: ResourceReport::new(job.report.id, Outcome::NotRun), exports: None }
    }
}

const NOT_AGAIN: &str = "it was not tried again, as the run was interrupted";

impl Job {
    pub(super) fn attempt<'a>(&'a mut self, shared: &'a Arc<Shared>) -> Attempt<'a> {
        Attempt::new(shared, &mut self.report, &mut self.begun, self.index)
    }

    fn step(self, shared: &Shared, worked: Result<Reached, Failure>) -> Step {
        let done = match worked {
            Ok(Reached::Change(change)) => return Step::Held(Box::new(Held { job: self, change })),
            Ok(Reached::End(exports)) => {
                let exports = exports.filter(|_| shared.is_read(self.index)).map(Box::new);
                Done { report: self.report, exports }
            }
            Err(failure) => self.failed(failure),
        };
        let report = &done.report;
        tracing::info!(id = %report.id, outcome = ?report.outcome, level = %report.level, "handled");
        Step::Done(done)
    }

    pub(super) fn failed(mut self, failure: Failure) -> Done {
        self.report.outcome = Outcome::Failed;
        self.report.failure = Some(failure);
        Done { report: self.report, exports: None }
    }

    /// Works on a node with meta-arguments. A gate has nothing but its `when`.
    async fn with_meta(
        &mut self,
        shared: &Arc<Shared>,
        tell: &UnboundedSender<Message>,
        meta: &Meta,
    ) -> Result<Reached, Failure> {
        let node = shared.graph.node(self.index);
        let report = &mut self.report;
        let verdict = match &meta.when {
            Some(when) => {
                when::evaluate(shared, self.index, when).inspect_err(|_| report.level = StatusLevel::Fatal)?
            }
            None => Verdict::Taken,
        };
        match verdict {
            Verdict::Taken if node.role.is_structure() => Ok(Reached::End(None)),
            Verdict::Taken => self.attempts(shared, tell, At::Start).await,
            Verdict::NotTaken(skipped) => {
                report.outcome = Outcome::NotTaken;
                report.skipped = Some(skipped);
                Ok(Reached::End(None))
            }
            Verdict::Undecided(skipped) => {
                report.outcome = Outcome::MayChange;
                report.level = StatusLevel::MayChange;
                report.skipped = Some(skipped);
                Ok(Reached::End(Some(unknown_exports(node))))
            }
        }
    }

    /// Tries until an attempt succeeds, or there are no more. A module that is wrong does not become right, so what
    /// cannot be rendered is not tried again.
    async fn attempts(
        &mut self,
        shared: &Arc<Shared>,
        tell: &UnboundedSender<Message>,
        mut at: At,
    ) -> Result<Reached, Failure> {
        let meta = shared.graph.node(self.index).meta.as_deref();
        let (timeout, retry) = meta.map_or((None, None), |meta| (meta.timeout, meta.retry));
        loop {
            let limit = match &at {
                At::Start => timeout.and_then(Limit::new),
                At::Turn(change, _) | At::Applied(change, _) => change.paused.and_then(Paused::resume),
                At::Ended(_) => None,
            };
            let failure = match self.attempt(shared).run(at, limit).await {
                Ok(reached) => return Ok(reached),
                Err(failure) => failure,
            };
            let Some(retry) = retry.filter(|retry| self.number < retry.attempts.get()) else {
                return Err(failure);
            };
            if failure.stage == Stage::Render || shared.finish().is_cancelled() {
                return Err(failure);
            }
            let (number, attempts) = (self.number, retry.attempts);
            let messages = &mut self.report.messages;
            messages.push(format!("attempt {number} of {attempts} failed: {}", failure.message));
            if shared.takes_turns(self.index) {
                // When nobody listens any more the run was dropped, and this with it.
                let _ = tell.send(Message::TriesAgain(self.index));
            }
            // An interrupt ends the wait: another attempt would be something new.
            let interrupted = tokio::time::timeout(wait(&retry, number), shared.finish().cancelled()).await;
            if interrupted.is_ok() {
                messages.push(NOT_AGAIN.to_owned());
                return Err(failure);
            }
            self.number += 1;
            self.failure = Some(failure);
            at = At::Start;
        }
    }
}

/// The wait after an attempt.
fn wait(retry: &Retry, attempt: u32) -> Duration {
    let factor = retry.backoff.max(0.0).powf(f64::from(attempt.saturating_sub(1)));
    // A wait that was written so long stays so long.
    let longest = LONGEST_WAIT.max(retry.delay);
    let grown = Duration::try_from_secs_f64(retry.delay.as_secs_f64() * factor);
    // What has no duration is too long, or nothing times infinity.
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
            assert_eq!(wait(&retry, attempt), Duration::from_secs(expect), "{delay} {backoff} {attempt}");
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
