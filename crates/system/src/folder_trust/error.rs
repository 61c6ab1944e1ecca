//! The reasons why a folder cannot be trusted.

use std::path::PathBuf;

/// A folder in which somebody else could change what this program keeps there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is not safe: {} {problem}", .folder.display(), .at.display())]
pub struct Untrusted {
    /// What was to be used.
    pub folder: PathBuf,
    /// The part of the way to it that is the reason.
    pub at: PathBuf,
    /// What is wrong with that.
    pub problem: WrongOwner,
}

/// Why others could change what lies in a folder.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WrongOwner {
    /// It belongs to another user.
    #[error("belongs to the user {0}")]
    Owner(u32),
    /// It has these permission bits.
    #[error("has the mode {0:04o}, so others than its owner may write there")]
    Writable(u32),
    /// It is no folder, or links lead nowhere.
    #[error("{0}")]
    Unusable(String),
}
