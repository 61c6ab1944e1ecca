//! Retries while another program holds the lock of a package manager.
//!
//! apt's own `DPkg::Lock::Timeout` covers neither the lists nor the archives, and cannot be cancelled.

use std::time::{Duration, SystemTime};

use converge_sdk::prelude::*;

/// The interval between attempts, the same as that of the package managers themselves.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_mins(5);

/// The remaining time to wait for locks.
#[derive(Debug)]
pub(super) struct LockTimeout {
    limit: Duration,
    /// The time when the first lock was found held.
    since: Option<SystemTime>,
}

impl LockTimeout {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: None }
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// Waits before the next attempt, and returns `false` if the time is over.
    pub(super) async fn wait(&mut self, cx: &Context) -> Result<bool> {
        cx.check_cancelled()?;
        let clock = cx.system().clock();
        let now = clock.now();
        let start = *self.since.get_or_insert(now);
        let waited = now.duration_since(start).unwrap_or_default();
        let left = self.limit.saturating_sub(waited);
        if left.is_zero() {
            return Ok(false);
        }
        clock.sleep(left.min(PAUSE)).await;
        Ok(true)
    }
}
