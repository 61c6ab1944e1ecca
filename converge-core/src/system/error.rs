//! Why an operation of a system failed.

use std::path::PathBuf;

/// A failed operation: what was done, to what, and why it failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot {operation} {}: {kind}", .path.as_deref().map_or_else(|| subject.clone(), |path| path.display().to_string()))]
pub struct SystemError {
    /// The operation as a verb phrase: `read`, `change the owner of`.
    pub operation: &'static str,
    /// The file it was done to, when it was a file.
    pub path: Option<PathBuf>,
    /// What it was done to, when it was not a file.
    pub subject: String,
    /// Why it failed.
    pub kind: SystemErrorKind,
}

/// The reasons that callers tell apart.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemErrorKind {
    /// It does not exist.
    #[error("it does not exist")]
    NotFound,
    /// It exists already.
    #[error("it exists already")]
    AlreadyExists,
    /// Not allowed.
    #[error("permission denied")]
    PermissionDenied,
    /// A directory was expected.
    #[error("not a directory")]
    NotADirectory,
    /// Anything but a directory was expected.
    #[error("is a directory")]
    IsADirectory,
    /// A regular file was expected.
    #[error("not a regular file")]
    NotAFile,
    /// More symbolic links than are followed, most likely in a circle.
    #[error("too many symbolic links")]
    LinkLoop,
    /// The operation makes no sense for this path: a directory cannot move into itself, and only a
    /// symbolic link has a target.
    #[error("not possible for this path")]
    InvalidPath,
    /// The directory is not empty.
    #[error("the directory is not empty")]
    NotEmpty,
    /// There is no listener.
    #[error("connection refused")]
    ConnectionRefused,
    /// The run was cancelled while it ran.
    #[error("cancelled")]
    Cancelled,
    /// Any other reason, in the words of the operating system.
    #[error("{0}")]
    Other(String),
}

impl From<std::io::Error> for SystemErrorKind {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind;

        use nix::errno::Errno;
        // The standard library has no stable kind for the one, and a much wider one for the other.
        match error.raw_os_error().map(Errno::from_raw) {
            Some(Errno::ELOOP) => return Self::LinkLoop,
            Some(Errno::EINVAL) => return Self::InvalidPath,
            _ => {}
        }
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::AlreadyExists => Self::AlreadyExists,
            ErrorKind::PermissionDenied => Self::PermissionDenied,
            ErrorKind::NotADirectory => Self::NotADirectory,
            ErrorKind::IsADirectory => Self::IsADirectory,
            ErrorKind::ConnectionRefused => Self::ConnectionRefused,
            ErrorKind::DirectoryNotEmpty => Self::NotEmpty,
            _ => Self::Other(error.to_string()),
        }
    }
}

impl SystemError {
    /// A failed operation on a file.
    pub fn file(operation: &'static str, path: impl Into<PathBuf>, kind: impl Into<SystemErrorKind>) -> Self {
        Self { operation, path: Some(path.into()), subject: String::new(), kind: kind.into() }
    }

    /// A failed operation on something else.
    pub fn other(
        operation: &'static str,
        subject: impl Into<String>,
        kind: impl Into<SystemErrorKind>,
    ) -> Self {
        Self { operation, path: None, subject: subject.into(), kind: kind.into() }
    }
}
