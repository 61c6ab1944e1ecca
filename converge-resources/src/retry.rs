//! Retries until an attempt succeeds, shared by `wait.port` and `wait.query`.

use std::fmt;
use std::time::Duration;

use converge_sdk::prelude::*;

pub(crate) const INTERVAL: Duration = Duration::from_secs(5);

pub(crate) const ATTEMPTS: u32 = 5;

/// The declared number of attempts and the pauses between them.
#[derive(Clone, Copy, Debug, HclBlock)]
pub(crate) struct RetryPolicy {
    /// The pause after a failed attempt. The default is `5s`.
    interval: Option<Duration>,
    /// The pause before the first attempt, and after the successful one. The default is none.
    grace_period: Option<Duration>,
    /// The maximum number of attempts of an apply. The default is 5.
    #[hcl(min = 1)]
    max_retry: Option<u32>,
}

impl RetryPolicy {
    fn interval(&self) -> Duration {
        self.interval.unwrap_or(INTERVAL)
    }

    fn grace_period(&self) -> Duration {
        self.grace_period.unwrap_or_default()
    }

    fn attempts(&self) -> u32 {
        self.max_retry.unwrap_or(ATTEMPTS)
    }

    pub(crate) fn begin<'a>(&self, cx: &'a Context) -> RetryLoop<'a> {
        RetryLoop { cx, retry: *self, begun: cx.system().clock().now(), attempts: 0 }
    }
}

/// A loop of attempts, until one succeeds or the maximum is reached.
pub(crate) struct RetryLoop<'a> {
    cx: &'a Context,
    retry: RetryPolicy,
    begun: std::time::SystemTime,
    attempts: u32,
}

impl RetryLoop<'_> {
    /// Waits until the next attempt is due, or returns `false` if the maximum is reached.
    pub(crate) async fn next(&mut self) -> Result<bool> {
        if self.attempts == self.retry.attempts() {
            return Ok(false);
        }
        let pause = if self.attempts == 0 { self.retry.grace_period() } else { self.retry.interval() };
        self.sleep(pause).await?;
        self.attempts += 1;
        Ok(true)
    }

    /// Waits for the grace period after a successful attempt.
    pub(crate) async fn settle(&self) -> Result<()> {
        self.sleep(self.retry.grace_period()).await
    }

    async fn sleep(&self, pause: Duration) -> Result<()> {
        let sleep = self.cx.system().clock().sleep(pause);
        self.cx.cancellation().run_until_cancelled(sleep).await.ok_or(Error::Cancelled)
    }

    pub(crate) fn stats(&self) -> RetryStats {
        let now = self.cx.system().clock().now();
        RetryStats { attempts: self.attempts, time: now.duration_since(self.begun).unwrap_or_default() }
    }
}

/// The number and duration of attempts, displayed as `3 attempts in 10.2s`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RetryStats {
    attempts: u32,
    time: Duration,
}

impl fmt::Display for RetryStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let attempts = if self.attempts == 1 { "attempt" } else { "attempts" };
        // The duration is shown in tenths of a second.
        let tenths = self.time.as_millis() / 100;
        write!(f, "{} {attempts} in {}.{}s", self.attempts, tenths / 10, tenths % 10)
    }
}
