//! The Windows parts of the local system: files by path, no users, no modes.
//!
//! Operations that the standard library supports safely are implemented. All others return an error that
//! names the feature.

mod directory;
mod files;
mod paths;
pub(crate) mod profile;
mod staged;
mod temp_dir;
mod users;

use crate::{SystemError, SystemErrorKind};

/// Returns an error for the first requested feature.
pub(super) fn refuse(wanted: &[(&'static str, bool)]) -> Result<(), SystemError> {
    match wanted.iter().find(|(_, wanted)| *wanted) {
        Some((what, _)) => {
            Err(SystemError::other("make a system with", *what, SystemErrorKind::unsupported(what)))
        }
        None => Ok(()),
    }
}
