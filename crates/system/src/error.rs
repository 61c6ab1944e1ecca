//! The error of a system operation.

use std::fmt;
use std::path::PathBuf;

use super::metadata::SpecialFile;
use crate::diagnostic::{Limit, ReachedLimit};
use converge_value::debug_as_text;

/// A failed operation: the operation, its target and the reason.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot {operation} {}: {kind}", .path.as_deref().map_or_else(|| subject.clone(), |path| path.display().to_string()))]
pub struct SystemError {
    /// The operation as a verb phrase: `read`, `change the owner of`.
    pub operation: &'static str,
    /// The file that was the target, if it was a file.
    pub path: Option<PathBuf>,
    /// The target, if it was not a file.
    pub subject: String,
    /// The reason.
    pub kind: SystemErrorKind,
}

debug_as_text!(SystemError);

/// The reason why an operation failed, as far as callers distinguish it.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SystemErrorKind {
    /// The target does not exist.
    #[error("it does not exist")]
    NotFound,
    /// The target already exists.
    #[error("it exists already")]
    AlreadyExists,
    /// Permission is denied.
    #[error("permission denied")]
    PermissionDenied,
    /// The target is not a directory, but a directory was expected.
    #[error("not a directory")]
    NotADirectory,
    /// The target is a directory, but something else was expected.
    #[error("is a directory")]
    IsADirectory,
    /// The target is a special file, but a regular file was expected.
    #[error("it is {0}, not a regular file")]
    NotAFile(SpecialFile),
    /// A symbolic link of an unprivileged user leads to a file of somebody else.
    #[error("{0}")]
    ForeignLink(Box<ForeignLink>),
    /// The file has several names, and this one may come from another user.
    ///
    /// That user may neither read nor change the file.
    #[error("{0}")]
    ForeignName(Box<ForeignName>),
    /// The path leads out of the directory that it must stay in.
    #[error("it leads out of the directory")]
    Outside,
    /// The name has the form reserved for temporary files.
    #[error("names like this are reserved for temporary files of converge")]
    ReservedName,
    /// The target was replaced by another one in each attempt.
    #[error("another process keeps changing it")]
    Unsteady,
    /// The path has too many symbolic links, most likely in a circle.
    #[error("too many symbolic links")]
    LinkLoop,
    /// The operation makes no sense for this path.
    ///
    /// For example, a directory cannot move into itself, and only a symbolic link has a target.
    #[error("not possible for this path")]
    InvalidPath,
    /// The directory is not empty.
    #[error("the directory is not empty")]
    NotEmpty,
    /// The disk is full.
    #[error("no space left on device")]
    NoSpace,
    /// The file system is mounted read-only.
    #[error("the file system is read-only")]
    ReadOnly,
    /// This process has reached its limit of open files.
    #[error("this process has as many files open as it may: `ulimit -n` allows more")]
    TooManyOpenFiles,
    /// The two paths are on different file systems, which a hard link cannot span.
    #[error("the file is on another file system, and a hard link is on the same one")]
    OtherFileSystem,
    /// The kernel refuses a hard link to a file that the caller neither owns nor may read and write.
    #[error(
        "the file belongs to {0}, and the setting `fs.protected_hardlinks` keeps others from making hard links to it"
    )]
    ProtectedFile(Box<FileOwner>),
    /// A program printed more than the limit of bytes.
    #[error("it printed more than {0} bytes")]
    TooMuchOutput(usize),
    /// The file would exceed the size limit in bytes.
    #[error("no file may be larger than {0} bytes here")]
    FileTooLarge(u64),
    /// Nothing listens at the address.
    #[error("connection refused")]
    ConnectionRefused,
    /// There is no route to the address.
    #[error("the network or the host cannot be reached")]
    Unreachable,
    /// The operating system has no such feature, or this program does not support it there.
    #[error("{0}")]
    Unsupported(Box<Unsupported>),
    /// The run was cancelled during the operation.
    #[error("cancelled")]
    Cancelled,
    /// Any other reason, in the words of the operating system.
    #[error("{0}")]
    Other(String),
}

debug_as_text!(SystemErrorKind);

/// A feature that a system does not support.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unsupported {
    /// The feature as a noun phrase: `the owner of a file`.
    pub what: String,
    /// The operating system by its Rust name: `windows`.
    pub os: String,
}

/// Writes `the owner of a file is not supported on windows`.
impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not supported on {}", self.what, self.os)
    }
}

/// A symbolic link that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ForeignLink {
    /// The path of the link.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub link: PathBuf,
    /// The user who controls the target of the link.
    pub owner: FileOwner,
}

impl fmt::Display for ForeignLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { link, owner } = self;
        let link = link.display();
        write!(f, "{link} is a symbolic link of {owner}, and is followed only to what belongs to that user")
    }
}

/// A file that is not accessed through one of its names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ForeignName {
    /// The owner of the file.
    pub owner: FileOwner,
    /// The owner of the directory that holds the name.
    pub folder: FileOwner,
}

impl fmt::Display for ForeignName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { owner, folder } = self;
        write!(
            f,
            "it is a hard link to a file of {owner}, in a directory of {folder}, and may have been made by somebody \
             who may not use that file"
        )
    }
}

/// A user in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileOwner {
    /// The user id.
    pub uid: u32,
    /// The user name, if the machine has one for the id.
    pub name: Option<String>,
}

/// Writes `jo (user id 1000)`.
impl fmt::Display for FileOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "{name} (user id {})", self.uid),
            None => write!(f, "user id {}", self.uid),
        }
    }
}

#[cfg(all(unix, feature = "local"))]
impl From<rustix::io::Errno> for SystemErrorKind {
    fn from(errno: rustix::io::Errno) -> Self {
        std::io::Error::from(errno).into()
    }
}

impl From<std::io::Error> for SystemErrorKind {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;

        if let Some(kind) = by_number(&error) {
            return kind;
        }
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::AlreadyExists => Self::AlreadyExists,
            ErrorKind::PermissionDenied => Self::PermissionDenied,
            ErrorKind::NotADirectory => Self::NotADirectory,
            ErrorKind::IsADirectory => Self::IsADirectory,
            ErrorKind::ConnectionRefused => Self::ConnectionRefused,
            ErrorKind::DirectoryNotEmpty => Self::NotEmpty,
            ErrorKind::StorageFull => Self::NoSpace,
            ErrorKind::ReadOnlyFilesystem => Self::ReadOnly,
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable => Self::Unreachable,
            _ => Self::Other(error.to_string()),
        }
    }
}

/// Maps error numbers for which the standard library has no stable kind, or only a much wider one.
#[cfg(all(unix, feature = "local"))]
fn by_number(error: &std::io::Error) -> Option<SystemErrorKind> {
    use rustix::io::Errno;

    match Errno::from_io_error(error)? {
        Errno::LOOP => Some(SystemErrorKind::LinkLoop),
        Errno::INVAL => Some(SystemErrorKind::InvalidPath),
        Errno::MFILE => Some(SystemErrorKind::TooManyOpenFiles),
        _ => None,
    }
}

/// Returns `None`: Windows uses other numbers, and without a local system no error has a number.
#[cfg(not(all(unix, feature = "local")))]
fn by_number(_error: &std::io::Error) -> Option<SystemErrorKind> {
    None
}

impl SystemErrorKind {
    /// Creates the error for a feature that is missing on the platform of this build.
    #[cfg(all(not(target_os = "linux"), feature = "local"))]
    pub(crate) fn unsupported(what: &'static str) -> Self {
        Self::Unsupported(Box::new(Unsupported {
            what: what.to_owned(),
            os: std::env::consts::OS.to_owned(),
        }))
    }

    /// Returns the limit that was reached, if that is the reason.
    pub fn limit(&self) -> Option<ReachedLimit> {
        match *self {
            Self::TooMuchOutput(bytes) => {
                Some(ReachedLimit { limit: Limit::Output, most: u64::try_from(bytes).unwrap_or(u64::MAX) })
            }
            Self::FileTooLarge(most) => Some(ReachedLimit { limit: Limit::File, most }),
            _ => None,
        }
    }
}

impl SystemError {
    /// Creates the error of an operation on a file.
    pub fn file(operation: &'static str, path: impl Into<PathBuf>, kind: impl Into<SystemErrorKind>) -> Self {
        Self { operation, path: Some(path.into()), subject: String::new(), kind: kind.into() }
    }

    /// Creates the error of an operation on anything but a file.
    pub fn other(
        operation: &'static str,
        subject: impl Into<String>,
        kind: impl Into<SystemErrorKind>,
    ) -> Self {
        Self { operation, path: None, subject: subject.into(), kind: kind.into() }
    }
}
