//! The clock of the local system.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::LocalSystem;
use crate::Clock;

#[async_trait]
impl Clock for LocalSystem {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}
