//! The profile of the user, to which Windows denies others access by default.

use std::fs::canonicalize;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// The variable with the path of the profile.
const VARIABLE: &str = "USERPROFILE";

/// Returns the path of the profile without links.
pub(crate) fn profile() -> std::io::Result<PathBuf> {
    match std::env::var_os(VARIABLE).filter(|profile| !profile.is_empty()) {
        Some(profile) => canonicalize(profile),
        None => Err(Error::new(ErrorKind::NotFound, format!("{VARIABLE} names no profile of the user"))),
    }
}

/// Whether a path is in the profile.
///
/// For a missing path, its existing parent counts.
pub(crate) fn is_in(profile: &Path, path: &Path) -> std::io::Result<bool> {
    for at in std::path::absolute(path)?.ancestors() {
        match canonicalize(at) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            found => return Ok(found?.starts_with(profile)),
        }
    }
    Ok(false)
}
