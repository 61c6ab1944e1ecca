//! The limit on random bytes.

use super::{SystemError, SystemErrorKind};

const MOST: usize = 1 << 20;

pub(super) fn check_count(count: usize) -> Result<(), SystemError> {
    if count <= MOST {
        return Ok(());
    }
    let kind = SystemErrorKind::Other(format!("no more than {MOST} bytes are made at once"));
    Err(SystemError::other("make", format!("{count} random bytes"), kind))
}
