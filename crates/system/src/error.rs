//! Why an operation of a system failed.

use std::fmt;
use std::path::PathBuf;

use super::metadata::SpecialFile;
use crate::diagnostic::{Limit, ReachedLimit};

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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
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
    #[error("it is {0}, not a regular file")]
    NotAFile(SpecialFile),
    /// A symbolic link on the way is in the hands of somebody unprivileged, and leads to what is not theirs.
    #[error("{0}")]
    ForeignLink(Box<ForeignLink>),
    /// The file has other names, and may have got this one from somebody who may neither read nor change it.
    #[error("{0}")]
    ForeignName(Box<ForeignName>),
    /// It is not in the directory that it was looked for in.
    #[error("it leads out of the directory")]
    Outside,
    /// The name is one that temporary files have.
    #[error("names like this are kept for temporary files of converge")]
    ReservedName,
    /// It was another one each time it was looked at.
    #[error("somebody else keeps changing it")]
    Unsteady,
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
    /// The disk is full.
    #[error("no space left on device")]
    NoSpace,
    /// The file system is mounted so that nothing on it can be changed.
    #[error("the file system is read-only")]
    ReadOnly,
    /// This process has as many files open as it may have.
    #[error("this process has as many files open as it may: `ulimit -n` allows more")]
    TooManyOpenFiles,
    /// All names of a file are on the file system that the file is on.
    #[error("the file is on another file system, and a hard link is on the same one")]
    OtherFileSystem,
    /// The kernel lets only the owner of the file, or who may read and write it, give it another name.
    #[error(
        "the file belongs to {0}, and the setting `fs.protected_hardlinks` keeps others from making hard links to it"
    )]
    ProtectedFile(Box<FileOwner>),
    /// A program printed more than is kept.
    #[error("it printed more than {0} bytes")]
    TooMuchOutput(usize),
    /// The file would be larger than it may be.
    #[error("no file may be larger than {0} bytes here")]
    FileTooLarge(u64),
    /// There is no listener.
    #[error("connection refused")]
    ConnectionRefused,
    /// There is no way from here to there.
    #[error("the network or the host cannot be reached")]
    Unreachable,
    /// The operating system that a program runs on has nothing for it, or nothing that this program uses.
    #[error("{0}")]
    Unsupported(Box<Unsupported>),
    /// The run was cancelled while it ran.
    #[error("cancelled")]
    Cancelled,
    /// Any other reason, in the words of the operating system.
    #[error("{0}")]
    Other(String),
}

/// What a system has nothing for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unsupported {
    /// What was wanted, as a noun: `the owner of a file`.
    pub what: String,
    /// The system, as Rust calls it: `windows`.
    pub os: String,
}

/// `the owner of a file is not supported on windows`.
impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not supported on {}", self.what, self.os)
    }
}

/// A symbolic link that is not followed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ForeignLink {
    /// The link.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub link: PathBuf,
    /// Who decides where it leads.
    pub owner: FileOwner,
}

impl fmt::Display for ForeignLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { link, owner } = self;
        let link = link.display();
        write!(f, "{link} is a symbolic link of {owner}, and is followed only to what belongs to that user")
    }
}

/// A file that is not used by one of its names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ForeignName {
    /// Who owns the file.
    pub owner: FileOwner,
    /// Who owns the directory in which it has this name.
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

/// A user, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileOwner {
    /// The id.
    pub uid: u32,
    /// The name, where the machine has one for the id.
    pub name: Option<String>,
}

/// `jo (user id 1000)`.
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

/// The standard library has no stable kind for these, or a much wider one.
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

/// Windows has other numbers, and without a local system no error has any.
#[cfg(not(all(unix, feature = "local")))]
fn by_number(_error: &std::io::Error) -> Option<SystemErrorKind> {
    None
}

impl SystemErrorKind {
    /// What this program cannot do on the system that it was compiled for.
    #[cfg(all(not(target_os = "linux"), feature = "local"))]
    pub(crate) fn unsupported(what: &'static str) -> Self {
        Self::Unsupported(Box::new(Unsupported {
            what: what.to_owned(),
            os: std::env::consts::OS.to_owned(),
        }))
    }

    /// The limit that was reached, when that is the reason.
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
