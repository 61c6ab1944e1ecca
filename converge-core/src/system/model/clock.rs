//! The clock of the model, which the test turns.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::ModelSystem;
use crate::system::Clock;

#[async_trait]
impl Clock for ModelSystem {
    fn now(&self) -> SystemTime {
        self.lock().machine.now()
    }

    /// Waits until the clock was turned far enough, or turns it where time flows by itself.
    async fn sleep(&self, duration: Duration) {
        let Some(until) = self.now().checked_add(duration) else {
            return std::future::pending().await;
        };
        loop {
            // Made before looking at the clock, so that a turn in between is not missed.
            let turned = self.turned.notified();
            {
                let mut state = self.lock();
                let left = until.duration_since(state.machine.now()).unwrap_or_default();
                if left.is_zero() {
                    return;
                }
                if state.time_flows {
                    state.machine.advance(left);
                    drop(state);
                    self.turned.notify_waiters();
                    return;
                }
            }
            turned.await;
        }
    }
}
