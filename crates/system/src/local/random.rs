//! Randomness of the local system.

use async_trait::async_trait;

use super::LocalSystem;
use crate::kernel_random::fill;
use crate::random::check_count;
use crate::{Random, SystemError};

#[async_trait]
impl Random for LocalSystem {
    async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError> {
        check_count(count)?;
        let mut bytes = vec![0; count];
        fill(&mut bytes).map_err(|error| SystemError::other("make", "random bytes", error))?;
        Ok(bytes)
    }
}
