//! The clock of the model host, which the test advances.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::{ModelSystem, Shared, Time};
use crate::Clock;

#[async_trait]
impl Clock for ModelSystem {
    fn now(&self) -> SystemTime {
        self.lock().machine.now()
    }

    async fn sleep(&self, duration: Duration) {
        self.state.turn().await;
        self.state.sleep(duration).await;
    }
}

impl Shared {
    /// Waits until the clock has advanced far enough, or advances it if time flows by itself.
    pub(super) async fn sleep(&self, duration: Duration) {
        let now = self.lock().machine.now();
        let Some(deadline) = now.checked_add(duration) else {
            return std::future::pending().await;
        };
        loop {
            // Created before the clock is read, so that an advance in between is not missed.
            let turned = self.turned.notified();
            let left = {
                let mut state = self.lock();
                let left = deadline.duration_since(state.machine.now()).unwrap_or_default();
                if left.is_zero() {
                    return;
                }
                if state.time == Time::Flows {
                    state.machine.advance(left);
                    drop(state);
                    self.turned.notify_waiters();
                    return;
                }
                (state.time == Time::FollowsTokio).then_some(left)
            };
            let Some(left) = left else {
                turned.await;
                continue;
            };
            tokio::time::sleep(left).await;
            // Other sleepers may have advanced the clock meanwhile.
            let mut state = self.lock();
            let left = deadline.duration_since(state.machine.now()).unwrap_or_default();
            state.machine.advance(left);
            drop(state);
            self.turned.notify_waiters();
            return;
        }
    }
}
