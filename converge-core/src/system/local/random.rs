//! Chance of the machine.

use async_trait::async_trait;
use rustix::rand::{GetRandomFlags, getrandom};

use super::LocalSystem;
use crate::system::random::check_count;
use crate::system::{Random, SystemError};

#[async_trait]
impl Random for LocalSystem {
    async fn bytes(&self, count: usize) -> Result<Vec<u8>, SystemError> {
        check_count(count)?;
        let mut bytes = vec![0; count];
        let mut filled = 0;
        while filled < count {
            match getrandom(&mut bytes[filled..], GetRandomFlags::empty()) {
                Ok(more) => filled += more,
                // Only what is long can be interrupted.
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(SystemError::other("make", "random bytes", error)),
            }
        }
        Ok(bytes)
    }
}
