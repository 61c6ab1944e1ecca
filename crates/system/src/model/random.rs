//! The deterministic randomness of the model host.

use async_trait::async_trait;

use super::ModelSystem;
use crate::random::check_count;
use crate::{Random, SystemError};

#[async_trait]
impl Random for ModelSystem {
    async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError> {
        self.state.turn().await;
        check_count(count)?;
        let chance = &mut self.lock().chance;
        let mut bytes = Vec::with_capacity(count);
        while bytes.len() < count {
            let number = chance.number().to_be_bytes();
            bytes.extend_from_slice(&number[..number.len().min(count - bytes.len())]);
        }
        Ok(bytes)
    }
}
