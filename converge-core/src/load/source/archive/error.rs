//! Why an archive gives no modules.

use thiserror::Error;

use crate::diagnostic::{Limit, ReachedLimit};

/// Why an archive gives no modules.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// It is damaged, of another format, or cannot be read.
    #[error("the archive cannot be read: {0}")]
    Unreadable(String),
    /// There is more in it than is read.
    #[error("the archive has more than {} bytes when it is unpacked", .0.most)]
    TooMuch(ReachedLimit),
    /// A member that it may not have.
    #[error("{member:?} in the archive {problem}")]
    Member {
        /// Its name. What is not UTF-8 in it is replaced.
        member: String,
        /// What is wrong with it.
        problem: MemberError,
    },
}

/// What is wrong with a member of an archive.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemberError {
    /// An absolute path.
    #[error("is an absolute path")]
    Absolute,
    /// A path with `..`.
    #[error("leads out of its folder")]
    Outside,
    /// Bytes that are no text.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// A NUL, where other programs end the name.
    #[error("has a NUL in its name")]
    Nul,
    /// A name that another member has.
    #[error("is there twice")]
    Twice,
    /// A link, a device and the like.
    #[error("is {0}, not a regular file")]
    NotRegular(&'static str),
    /// The archive ends before it does.
    #[error("is not there to its end")]
    Incomplete,
}

impl ArchiveError {
    pub(super) fn too_much(most: u64) -> Self {
        Self::TooMuch(ReachedLimit { limit: Limit::Bytes, most })
    }
}

impl From<std::io::Error> for ArchiveError {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}
