//! The reasons why a folder cannot be trusted.

use std::path::PathBuf;

use converge_value::debug_as_text;

/// A folder whose content another user could change.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} is not safe: {} {problem}", .folder.display(), .at.display())]
pub struct Untrusted {
    /// The folder that was to be used.
    pub folder: PathBuf,
    /// The part of its path that is the reason.
    pub at: PathBuf,
    /// The problem with that part.
    pub problem: WrongOwner,
}

debug_as_text!(Untrusted);

/// The reason why another user could change the content of a folder.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongOwner {
    /// The part belongs to another user, given as user id.
    #[error("belongs to the user {0}")]
    Owner(u32),
    /// The part has permission bits that let others write.
    #[error("has the mode {0:04o}, so others than its owner may write there")]
    Writable(u32),
    /// The part is not a folder, or a link cannot be followed.
    #[error("{0}")]
    Unusable(String),
}

debug_as_text!(WrongOwner);
