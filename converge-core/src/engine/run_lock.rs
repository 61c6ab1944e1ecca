//! Waits for the lock of a run.

use std::time::Duration;

use tokio::time::Instant;

use super::error::EngineError;
use super::event::{Event, EventSink, InterruptKind};
use super::interrupt::Interrupt;
use crate::state::{Holder, RunLock, State, TryLock};

/// How often the lock is tried again. A lock of the kernel could be waited for, but only by a thread that nothing can
/// interrupt.
const PAUSE: Duration = Duration::from_millis(100);

/// How long an apply waits for another one to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LockWait {
    /// However long that takes.
    #[default]
    Forever,
    /// At most so long.
    AtMost(Duration),
    /// Not at all.
    Never,
}

/// What ends the wait.
pub(super) struct Limits<'a> {
    pub(super) wait: LockWait,
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: &'a Interrupt,
}

/// Takes the lock; says who has it while it waits.
pub(super) async fn take(
    state: &State,
    module: &str,
    limits: &Limits<'_>,
    sink: &mut dyn EventSink,
) -> Result<RunLock, EngineError> {
    let began = Instant::now();
    let by_wait = match limits.wait {
        LockWait::Forever => None,
        LockWait::AtMost(limit) => began.checked_add(limit),
        LockWait::Never => Some(began),
    };
    let until = by_wait.into_iter().chain(limits.deadline).min();
    let finish = limits.interrupt.token(InterruptKind::Finish);
    let mut told: Option<Holder> = None;
    loop {
        let holder = match state.try_lock(module)? {
            TryLock::Locked(lock) => return Ok(lock),
            TryLock::HeldBy(holder) => holder,
        };
        let now = Instant::now();
        if until.is_some_and(|until| until <= now) {
            return Err(EngineError::Locked { holder, waited: now - began });
        }
        if told.as_ref() != Some(&holder) {
            sink.emit(Event::Waiting { holder: holder.clone() });
            sink.flush();
            told = Some(holder);
        }
        let pause = until.map_or(PAUSE, |until| PAUSE.min(until - now));
        if tokio::time::timeout(pause, finish.cancelled()).await.is_ok() {
            return Err(EngineError::Interrupted);
        }
    }
}
