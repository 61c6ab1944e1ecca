//! Why a state cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use crate::system::SystemError;

/// Why a state cannot be used, or its lock cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// Others could change what is in it.
    #[error(transparent)]
    Untrusted(#[from] Untrusted),
    /// The machine did not do what it was asked to.
    #[error(transparent)]
    System(#[from] SystemError),
}

impl StateError {
    pub(super) fn file(operation: &'static str, path: &Path, error: impl Into<io::Error>) -> Self {
        Self::System(SystemError::file(operation, path, error.into()))
    }
}

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
