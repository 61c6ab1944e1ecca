//! Deadlines and cancellation of synchronous work.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::debug_as_text;

/// A deadline, a cancellation token, or both.
#[derive(Clone, Debug, Default)]
#[doc(hidden)]
pub struct Stop {
    deadline: Option<(Instant, Duration)>,
    token: Option<CancellationToken>,
}

/// The reason why work was stopped.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StopReason {
    /// The caller cancelled the work.
    #[error("it was cancelled")]
    Cancelled,
    /// The work took longer than allowed.
    #[error("it took longer than {0:?}")]
    Deadline(Duration),
}

debug_as_text!(StopReason);

impl StopReason {
    /// Returns the stable diagnostic code for a load that was stopped.
    pub fn code(self) -> &'static str {
        match self {
            Self::Cancelled => "load-cancelled",
            Self::Deadline(_) => "load-deadline",
        }
    }
}

impl Stop {
    /// Starts the deadline; returns `None` if there is neither a deadline nor a token.
    #[doc(hidden)]
    pub fn new(after: Option<Duration>, token: Option<CancellationToken>) -> Option<Self> {
        // A deadline too far in the future to be represented is never reached.
        let deadline = after.and_then(|after| Some((Instant::now().checked_add(after)?, after)));
        (deadline.is_some() || token.is_some()).then_some(Self { deadline, token })
    }

    /// Returns the reason to stop, if there is one by now.
    #[doc(hidden)]
    pub fn reason(&self) -> Option<StopReason> {
        if self.token.as_ref().is_some_and(CancellationToken::is_cancelled) {
            return Some(StopReason::Cancelled);
        }
        let (_, after) = self.deadline.filter(|(at, _)| Instant::now() >= *at)?;
        Some(StopReason::Deadline(after))
    }

    /// Returns the time that is left, or `None` without a deadline.
    #[doc(hidden)]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|(at, _)| at.saturating_duration_since(Instant::now()))
    }

    #[doc(hidden)]
    pub fn token(&self) -> Option<&CancellationToken> {
        self.token.as_ref()
    }

    /// Waits on this thread, inside or outside a runtime, until the work is done or must stop.
    #[doc(hidden)]
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, StopReason> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut context = Context::from_waker(&waker);
        // Inside a runtime task, polls would count against the cooperative budget of the task and could stay
        // pending until its next turn.
        let mut work = pin!(tokio::task::unconstrained(work));
        let mut cancelled = pin!(tokio::task::unconstrained(async {
            match &self.token {
                Some(token) => token.cancelled().await,
                None => pending().await,
            }
        }));
        loop {
            if let Poll::Ready(done) = work.as_mut().poll(&mut context) {
                return Ok(done);
            }
            let _ = cancelled.as_mut().poll(&mut context);
            if let Some(reason) = self.reason() {
                return Err(reason);
            }
            match self.time_left() {
                Some(left) => std::thread::park_timeout(left),
                None => std::thread::park(),
            }
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_mins(10);

    #[test]
    fn a_wait_ends_for_whatever_comes_first() {
        let token = CancellationToken::new();
        let stop = Stop::new(Some(LONG), Some(token.clone())).unwrap();
        assert_eq!(stop.wait(async { 7 }), Ok(7));
        let handle = std::thread::spawn({
            let token = token.clone();
            move || token.cancel()
        });
        assert_eq!(stop.wait(pending::<()>()), Err(StopReason::Cancelled));
        handle.join().unwrap();

        let soon = Duration::from_millis(5);
        let stop = Stop::new(Some(soon), None).unwrap();
        assert_eq!(stop.wait(pending::<()>()), Err(StopReason::Deadline(soon)));
        assert_eq!(
            (stop.reason(), stop.time_left()),
            (Some(StopReason::Deadline(soon)), Some(Duration::ZERO))
        );
        assert!(Stop::new(None, None).is_none());
        assert!(Stop::new(Some(Duration::MAX), None).is_none());
    }

    /// A wait must also work inside a task that has used up its cooperative budget.
    #[tokio::test]
    async fn a_task_waits_any_number_of_times() {
        let stop = Stop::new(Some(LONG), None).unwrap();
        for number in 0..1000 {
            let (sender, receiver) = tokio::sync::oneshot::channel();
            let handle = std::thread::spawn(move || sender.send(number));
            assert_eq!(stop.wait(receiver), Ok(Ok(number)));
            handle.join().unwrap().unwrap();
        }
    }
}
