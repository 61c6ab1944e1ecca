//! Whether others could change what lies in a folder.
#![expect(
    clippy::disallowed_methods,
    reason = "folders are where the program runs, not on the system of a resource"
)]

mod error;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::path::Path;

pub use error::{Untrusted, WrongOwner};
#[cfg(unix)]
use unix as of_system;
#[cfg(windows)]
use windows as of_system;

/// Sees whether a folder and all above it, also behind links, belong to root or to the user of this process, and nobody else
/// may write there: also not by a group, but for the one that is the owner's alone, with the same name and nobody else in it,
/// as many systems give to each user together with the mask `002`. What does not exist yet is no reason against it. A folder like `/tmp` is one, sticky or not: what is not
/// there yet, or was cleaned up, can be put there by anybody.
///
/// What is found holds as long as root and the user leave the folders as they are: nobody else can change what was looked at.
///
/// On Windows, where rights are lists that are not read, a folder is trusted when it is in the profile of the user, which the system
/// keeps others out of, or is not there.
///
/// # Errors
///
/// The first part of the path that others could change.
pub fn examine(folder: &Path) -> Result<(), Untrusted> {
    of_system::examine(folder)
}
