//! The clock of the model, which the test turns.

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
    /// Waits until the clock was turned far enough, or turns it where time flows by itself.
    pub(super) async fn sleep(&self, duration: Duration) {
        let now = self.lock().machine.now();
        let Some(until) = now.checked_add(duration) else {
            return std::future::pending().await;
        };
        loop {
            // Made before looking at the clock, so that a turn in between is not missed.
            let turned = self.turned.notified();
            let left = {
                let mut state = self.lock();
                let left = until.duration_since(state.machine.now()).unwrap_or_default();
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
            // Others may have slept, and turned it, at the same time.
            let mut state = self.lock();
            let left = until.duration_since(state.machine.now()).unwrap_or_default();
            state.machine.advance(left);
            drop(state);
            self.turned.notify_waiters();
            return;
        }
    }
}
