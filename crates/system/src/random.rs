//! Chance.

use std::num::NonZeroU64;

use async_trait::async_trait;

use super::SystemError;
#[cfg(feature = "local")]
use super::SystemErrorKind;

/// The most bytes of a call.
#[cfg(feature = "local")]
const MOST: usize = 1 << 20;

/// What nobody can guess.
#[async_trait]
pub trait Random: Send + Sync {
    /// So many random bytes, good enough for keys and passwords.
    ///
    /// # Errors
    ///
    /// More than a MiB is asked for, or the machine has none to give.
    async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError>; // with `#[async_trait]` on the `impl`

    /// A number from 0 up to, and without, `end`, each as likely as any other.
    ///
    /// # Errors
    ///
    /// As [`bytes`](Self::bytes).
    async fn below(&self, end: NonZeroU64) -> Result<u64, SystemError> {
        // Numbers above the last whole multiple would make the small ones likelier.
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

/// Refuses to make more than is made at once.
#[cfg(feature = "local")]
pub(super) fn check_count(count: usize) -> Result<(), SystemError> {
    if count <= MOST {
        return Ok(());
    }
    let kind = SystemErrorKind::Other(format!("no more than {MOST} bytes are made at once"));
    Err(SystemError::other("make", format!("{count} random bytes"), kind))
}
