//! Waiting for the lock of a run.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use crate::events::emitter::Emitter;
use crate::events::error::EngineError;
use crate::events::event::EventKind;
use crate::events::interrupt::Stops;
use crate::state::{Holder, RunLock, State, TryLock};

/// The interval at which the lock is tried again.
///
/// A thread could wait for a kernel lock, but such a wait cannot be interrupted.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// The maximum wait of an apply for another one to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LockWait {
    /// An unlimited wait.
    #[default]
    Forever,
    /// A wait of at most this duration.
    AtMost(Duration),
    /// No wait.
    Never,
}

/// The conditions that end the wait.
pub(crate) struct Limits<'a> {
    pub(crate) wait: LockWait,
    pub(crate) deadline: Option<Instant>,
    pub(crate) stops: &'a Stops,
}

/// Takes the lock, and reports the holder while it waits.
pub(crate) async fn take(
    state: &State,
    module: &str,
    limits: &Limits<'_>,
    emitter: &mut Emitter,
) -> Result<RunLock, EngineError> {
    let began = Instant::now();
    let by_wait = match limits.wait {
        LockWait::Forever => None,
        LockWait::AtMost(limit) => began.checked_add(limit),
        LockWait::Never => Some(began),
    };
    let deadline = by_wait.into_iter().chain(limits.deadline).min();
    let mut waiting = Waiting { limits, until: deadline, began, reported: None };
    let mut turn = match Arc::clone(state.turn()).try_acquire_owned() {
        Ok(turn) => turn,
        Err(_) => waiting.turn(state, emitter).await?,
    };
    loop {
        match state.try_lock(module, turn)? {
            TryLock::Locked(lock) => return Ok(lock),
            TryLock::HeldBy(holder, still) => {
                waiting.wait(holder, Some(RETRY_INTERVAL), pending::<()>(), emitter).await?;
                turn = still;
            }
        }
    }
}

/// A run that waits for the lock.
struct Waiting<'a> {
    limits: &'a Limits<'a>,
    until: Option<Instant>,
    began: Instant,
    /// The holder that was last reported to the sink.
    reported: Option<Holder>,
}

impl Waiting<'_> {
    /// Waits for the earlier runs of this process.
    async fn turn(
        &mut self,
        state: &State,
        emitter: &mut Emitter,
    ) -> Result<OwnedSemaphorePermit, EngineError> {
        let mut turn = pin!(Arc::clone(state.turn()).acquire_owned());
        loop {
            let holder = state.holder().unwrap_or(Holder::Unknown);
            // The semaphore is never closed.
            if let Some(Ok(turn)) = self.wait(holder, None, turn.as_mut(), emitter).await? {
                return Ok(turn);
            }
        }
    }

    /// Waits for a future, at most for `pause`. Returns `None` if the pause ends first.
    async fn wait<T>(
        &mut self,
        holder: Holder,
        pause: Option<Duration>,
        something: impl Future<Output = T>,
        emitter: &mut Emitter,
    ) -> Result<Option<T>, EngineError> {
        let now = Instant::now();
        if self.until.is_some_and(|deadline| deadline <= now) {
            return Err(EngineError::Locked { holder, waited: now - self.began });
        }
        if self.reported.as_ref() != Some(&holder) {
            emitter.emit(EventKind::Waiting { holder: holder.clone() });
            emitter.flush();
            self.reported = Some(holder);
        }
        let next = pause.and_then(|pause| now.checked_add(pause));
        let waiting = async {
            match next.into_iter().chain(self.until).min() {
                Some(end) => tokio::time::timeout_at(end, something).await.ok(),
                None => Some(something.await),
            }
        };
        self.limits.stops.run_until(waiting).await.ok_or(EngineError::Interrupted)
    }
}
