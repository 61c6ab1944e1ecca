//! What is other on Windows: files by path, no users, no modes. What the standard library does safely is done; all else is refused,
//! by name.

mod directory;
mod files;
mod paths;
pub(crate) mod profile;
mod staged;
mod temp_dir;
mod users;

use crate::{SystemError, SystemErrorKind};

/// The first of these that was asked for is an error.
pub(super) fn refuse(wanted: &[(&'static str, bool)]) -> Result<(), SystemError> {
    match wanted.iter().find(|(_, wanted)| *wanted) {
        Some((what, _)) => {
            Err(SystemError::other("make a system with", *what, SystemErrorKind::unsupported(what)))
        }
        None => Ok(()),
    }
}
