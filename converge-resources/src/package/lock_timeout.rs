//! Waits for another program that holds the lock of a package manager, by trying again.
//!
//! apt's own `DPkg::Lock::Timeout` covers neither the lists nor the archives, and nobody could cancel it.

use std::time::{Duration, SystemTime};

use converge_core::prelude::*;

/// How often a lock is tried. The package managers themselves try as often when they are told to wait.
const PAUSE: Duration = Duration::from_secs(1);

/// How long locks are waited for when a module does not say.
pub(super) const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_mins(5);

/// What is left of the time that locks are waited for.
#[derive(Debug)]
pub(super) struct LockTimeout {
    limit: Duration,
    /// When the first lock was found held.
    since: Option<SystemTime>,
}

impl LockTimeout {
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, since: None }
    }

    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// Waits a moment before the lock is tried again; `false` when the time is over.
    pub(super) async fn wait(&mut self, cx: &Context) -> Result<bool> {
        cx.check_cancelled()?;
        let clock = cx.system().clock();
        let now = clock.now();
        let since = *self.since.get_or_insert(now);
        let waited = now.duration_since(since).unwrap_or_default();
        let left = self.limit.saturating_sub(waited);
        if left.is_zero() {
            return Ok(false);
        }
        clock.sleep(left.min(PAUSE)).await;
        Ok(true)
    }
}
