//! The interface to randomness.

use std::num::NonZeroU64;

use async_trait::async_trait;

use super::SystemError;
#[cfg(feature = "local")]
use super::SystemErrorKind;

#[cfg(feature = "local")]
const MOST: usize = 1 << 20;

/// A source of cryptographically secure random numbers.
#[async_trait]
pub trait Random: Send + Sync {
    /// Returns `count` random bytes that are suitable for keys and passwords.
    ///
    /// # Errors
    ///
    /// If more than a MiB is requested, or the machine cannot provide random bytes.
    async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError>; // with `#[async_trait]` on the `impl`

    /// Returns a uniformly distributed number from 0 to `end`, excluding `end`.
    ///
    /// # Errors
    ///
    /// Like [`bytes`](Self::bytes).
    async fn below(&self, end: NonZeroU64) -> Result<u64, SystemError> {
        // Numbers above the last whole multiple would bias the result towards small ones.
        let rest = (u64::MAX % end + 1) % end;
        loop {
            let bytes = self.bytes(size_of::<u64>()).await?;
            let number = bytes.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
            if number <= u64::MAX - rest {
                return Ok(number % end);
            }
        }
    }
}

#[cfg(feature = "local")]
pub(super) fn check_count(count: usize) -> Result<(), SystemError> {
    if count <= MOST {
        return Ok(());
    }
    let kind = SystemErrorKind::Other(format!("no more than {MOST} bytes are made at once"));
    Err(SystemError::other("make", format!("{count} random bytes"), kind))
}
