//! The work on one node: whether it is handled at all, and as many attempts as it takes.

use std::sync::Arc;
use std::time::Duration;

use super::attempt::{Begun, Limit, attempt, unknown_exports};
use super::event::{Failure, Outcome, ResourceReport, Stage};
use super::shared::Shared;
use super::when::{self, Verdict};
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

/// Works on one node.
pub(super) async fn run(shared: &Arc<Shared>, index: NodeIndex) -> Done {
    let node = shared.graph.node(index);
    let mut report = ResourceReport::new(node.id.clone(), Outcome::Unchanged);
    let worked = match &node.meta {
        None => attempt(shared, index, &mut report, &mut Begun::Nothing, None).await,
        Some(meta) => Box::pin(with_meta(shared, index, meta, &mut report)).await,
    };
    let exports = match worked {
        Ok(exports) => exports.filter(|_| shared.is_read(index)),
        Err(failure) => {
            report.outcome = Outcome::Failed;
            report.failure = Some(failure);
            None
        }
    };
    tracing::info!(id = %node.id, outcome = ?report.outcome, level = %report.level, "handled");
    Done { report, exports: exports.map(Box::new) }
}

/// Works on a node with meta-arguments. A gate has nothing but its `when`.
async fn with_meta(
    shared: &Arc<Shared>,
    index: NodeIndex,
    meta: &Meta,
    report: &mut ResourceReport,
) -> Result<Option<Exports>, Failure> {
    let node = shared.graph.node(index);
    let verdict = match &meta.when {
        Some(when) => {
            when::evaluate(shared, index, when).inspect_err(|_| report.level = StatusLevel::Fatal)?
        }
        None => Verdict::Taken,
    };
    match verdict {
        Verdict::Taken if node.role.is_structure() => Ok(None),
        Verdict::Taken => attempts(shared, index, meta, report).await,
        Verdict::NotTaken(skipped) => {
            report.outcome = Outcome::NotTaken;
            report.skipped = Some(skipped);
            Ok(None)
        }
        Verdict::Undecided(skipped) => {
            report.outcome = Outcome::MayChange;
            report.level = StatusLevel::MayChange;
            report.skipped = Some(skipped);
            Ok(Some(unknown_exports(node)))
        }
    }
}

/// Tries until an attempt succeeds, or there are no more. A module that is wrong does not become right, so what
/// cannot be rendered is not tried again.
async fn attempts(
    shared: &Arc<Shared>,
    index: NodeIndex,
    meta: &Meta,
    report: &mut ResourceReport,
) -> Result<Option<Exports>, Failure> {
    let mut begun = Begun::Nothing;
    let mut number = 1;
    loop {
        let limit = meta.timeout.and_then(Limit::new);
        let failure = match attempt(shared, index, report, &mut begun, limit).await {
            Ok(exports) => return Ok(exports),
            Err(failure) => failure,
        };
        let Some(retry) = meta.retry.filter(|retry| number < retry.attempts.get()) else {
            return Err(failure);
        };
        if failure.stage == Stage::Render || shared.finish().is_cancelled() {
            return Err(failure);
        }
        report.messages.push(format!("attempt {number} of {} failed: {}", retry.attempts, failure.message));
        // An interrupt ends the wait: another attempt would be something new.
        let interrupted = tokio::time::timeout(wait(&retry, number), shared.finish().cancelled()).await;
        if interrupted.is_ok() {
            report.messages.push("it was not tried again, as the run was interrupted".to_owned());
            return Err(failure);
        }
        number += 1;
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
