//! The metadata of files.

use std::fmt;
use std::time::SystemTime;

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, if links are not followed.
    Symlink,
    /// Any other kind of file.
    Special(SpecialFile),
}

/// A special file, which is never read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum SpecialFile {
    /// A named pipe, also called FIFO.
    Pipe,
    /// A socket.
    Socket,
    /// A character device, such as a terminal.
    CharacterDevice,
    /// A block device, such as a disk.
    BlockDevice,
    /// Any other kind.
    Unknown,
}

/// Writes the kind with its article: `a named pipe`.
impl fmt::Display for SpecialFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::CharacterDevice => "a character device",
            Self::BlockDevice => "a block device",
            Self::Unknown => "something else",
        })
    }
}

/// The identity of a file on this machine.
///
/// All names of one file have the same identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inode {
    /// The number of the file system.
    pub device: u64,
    /// The number of the file on it.
    ///
    /// It may be reused after the file is gone.
    pub number: u64,
}

/// The metadata of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Metadata {
    /// The kind of the file.
    pub kind: FileKind,
    /// The permission bits with set-uid, set-gid and sticky: `0o7777` at most.
    pub mode: u32,
    /// The user id of the owner.
    pub uid: u32,
    /// The group id.
    pub gid: u32,
    /// The size in bytes.
    pub len: u64,
    /// The modification time, if the system knows it.
    #[cfg_attr(feature = "serde", serde(rename = "modified_ns", with = "crate::types::json_forms::time"))]
    pub modified: Option<SystemTime>,
    /// The number of names.
    ///
    /// More than one means that there are other hard links.
    pub links: u64,
}
