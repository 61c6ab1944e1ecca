//! The workers of a run, which take keys from the queue and reconcile them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tracing::Instrument as _;

use crate::clock::Random;
use crate::identity::Id;
use crate::runtime::action::Action;
use crate::runtime::context::Runtime;
use crate::runtime::panic::{Panicked, contained};
use crate::runtime::queue::{Queue, Turn, Verdict};
use crate::runtime::supervisor::{RunError, chain};

use super::definition::Definition;
use super::record::{ReconcileOutcome, Record};

/// The maximum fraction by which the delay of a forced reconcile is shortened, to spread them out.
const JITTER: f64 = 0.2;

/// The state that the workers of one run share.
pub(super) struct Work {
    pub(super) definition: Arc<Definition>,
    pub(super) runtime: Runtime,
    pub(super) queue: Queue<Id>,
    pub(super) record: Arc<Record>,
    pub(super) random: Mutex<Random>,
}

impl Work {
    /// Reconciles until the queue is closed.
    pub(super) async fn run(self: Arc<Self>) {
        while let Some(turn) = self.queue.next().await {
            self.take(turn).await;
        }
    }

    async fn take(&self, turn: Turn<Id>) {
        let id = turn.key().clone();
        let span = tracing::info_span!(
            "reconcile", controller = %self.runtime.controller(), resource = %id, reason = %turn.reason(),
            failures = turn.failures()
        );
        let began = Instant::now();
        let reconcile = async { (self.definition.reconcile)(self.runtime.clone(), id.clone()).await };
        let result = contained(reconcile).instrument(span.clone()).await;
        let (ended, verdict) = span.in_scope(|| self.judge(&id, result));
        self.record.ended(&id, ended, began.elapsed());
        turn.end(verdict);
    }

    /// Converts the result of a reconcile to its outcome and verdict.
    fn judge(
        &self,
        id: &Id,
        result: Result<Result<Action, RunError>, Panicked>,
    ) -> (ReconcileOutcome, Verdict) {
        match result {
            Ok(Ok(action)) => {
                tracing::debug!(requeue_after = ?action.requeue_after(), "reconciled");
                action.requeue_after().map_or_else(
                    || (ReconcileOutcome::Succeeded, Verdict::Done { force_after: self.forced_after(id) }),
                    |delay| (ReconcileOutcome::Requeued, Verdict::Requeue(delay)),
                )
            }
            Ok(Err(error)) => {
                let error = chain(&*error);
                tracing::warn!(%error, "failed, and is tried again");
                (ReconcileOutcome::Failed(error.clone()), Verdict::Failed(error))
            }
            Err(panicked) => {
                tracing::error!(stack = panicked.stack(), "{panicked}");
                let error = panicked.to_string();
                (ReconcileOutcome::Panicked(error.clone()), Verdict::Failed(error))
            }
        }
    }

    /// Returns the delay of the next forced reconcile, or `None` for a resource that does not exist.
    ///
    /// A forced reconcile is for missed events. If the resource is deleted later, the reconcile for the
    /// deletion cancels the forced one.
    fn forced_after(&self, id: &Id) -> Option<Duration> {
        let time = self.definition.settings.forced_after.filter(|_| self.exists(id))?;
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        Some(time.mul_f64(1.0 - JITTER * random.fraction()))
    }

    fn exists(&self, id: &Id) -> bool {
        self.runtime.cache.contains(id)
    }
}
