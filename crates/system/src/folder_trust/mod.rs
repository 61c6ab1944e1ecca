//! A check whether others could change the content of a folder.
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

/// Checks that only root and the user of this process can change the content of a folder.
///
/// The folder and all its parents, also behind links, must belong to root or to the user of this process.
/// Nobody else may write to them. Write permission for a group counts as untrusted, with one exception: a
/// group with the owner's name and no other members, as many systems give to each user together with the
/// umask `002`.
///
/// A folder that does not exist yet is trusted if its existing parents are. In a sticky folder like `/tmp`
/// only what exists is trusted: others cannot replace it, but anybody can create what does not exist yet.
///
/// The result holds as long as root and the user leave the folders as they are, because nobody else can
/// change them.
///
/// On Windows access lists are not read. A folder is trusted if it is in the profile of the user, which the
/// system protects from others, or if it does not exist.
///
/// # Errors
///
/// The first part of the path that others could change.
pub fn examine(folder: &Path) -> Result<(), Untrusted> {
    of_system::examine(folder)
}
