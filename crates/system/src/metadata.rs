//! What is known of a file without reading it.

use std::fmt;
use std::time::SystemTime;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, when links are not followed.
    Symlink,
    /// Something else that has a name.
    Special(SpecialFile),
}

/// What is neither a file, nor a directory, nor a link. Nothing reads or writes it.
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
    /// None of these.
    Unknown,
}

/// With its article, as a message says it: `a named pipe`.
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

/// Which file it is on this machine, whatever its names are: two names of which this is the same are of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Inode {
    /// The file system that it is on.
    pub device: u64,
    /// Its number there. A file that is made later may get that of one that is gone.
    pub number: u64,
}

/// What is known of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Metadata {
    /// What it is.
    pub kind: FileKind,
    /// Permission bits with set-uid, set-gid and sticky: `0o7777` at most.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Size in bytes.
    pub len: u64,
    /// Time of the last change of its content, where the system knows it.
    #[cfg_attr(feature = "serde", serde(rename = "modified_ns", with = "crate::types::json_forms::time"))]
    pub modified: Option<SystemTime>,
    /// How many names it has: more than one where there are other hard links.
    pub links: u64,
}
