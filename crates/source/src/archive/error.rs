//! Errors of module archives.

use thiserror::Error;

use crate::diagnostic::{Limit, ReachedLimit};
use converge_value::debug_as_text;

/// The reason why an archive cannot be used as a source of modules.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The archive is damaged, has another format, or cannot be read.
    #[error("the archive cannot be read: {0}")]
    Unreadable(String),
    /// The archive contains more than the limit allows.
    #[error("the archive has more than {} bytes when it is unpacked", .0.most)]
    TooMuch(ReachedLimit),
    /// The archive has a forbidden member.
    #[error("{member:?} in the archive {problem}")]
    Member {
        /// The name of the member, with invalid UTF-8 replaced.
        member: String,
        /// The reason why the member is forbidden.
        problem: MemberError,
    },
}

debug_as_text!(ArchiveError);

/// The reason why a member of an archive is forbidden.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MemberError {
    /// The path is absolute.
    #[error("is an absolute path")]
    Absolute,
    /// The path contains `..`.
    #[error("leads out of its folder")]
    Outside,
    /// The name is not UTF-8.
    #[error("has a name that is not UTF-8")]
    NotUtf8,
    /// The name contains a NUL, where other programs end it.
    #[error("has a NUL in its name")]
    Nul,
    /// Another member has the same name.
    #[error("is there twice")]
    Twice,
    /// The member is a link, a device or another special file.
    #[error("is {0}, not a regular file")]
    NotRegular(&'static str),
    /// The archive ends before the member does.
    #[error("is not there to its end")]
    Incomplete,
}

debug_as_text!(MemberError);

impl ArchiveError {
    pub(super) fn too_much(maximum: u64) -> Self {
        Self::TooMuch(ReachedLimit { limit: Limit::Bytes, most: maximum })
    }
}

impl From<std::io::Error> for ArchiveError {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}
