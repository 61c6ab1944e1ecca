//! The parameters and results of calls on files, and open files.

use std::any::Any;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_trait::async_trait;

use super::SystemError;
use super::metadata::{FileKind, Metadata};

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Follow {
    /// The operation applies to the target of the link.
    Links,
    /// The operation applies to the link itself.
    Never,
}

/// A file with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileContent {
    /// The metadata at the time of opening.
    pub metadata: Metadata,
    /// The content, up to the requested length.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub bytes: Vec<u8>,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DirEntry {
    /// The full path.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub path: PathBuf,
    /// The kind of the entry; links are not followed.
    pub kind: FileKind,
}

/// An entry of an open [`Directory`](super::Directory).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NamedEntry {
    /// The name.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::name"))]
    pub name: OsString,
    /// The kind of the entry; links are not followed.
    pub kind: FileKind,
}

/// An extended attribute of a file or directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExtendedAttribute {
    /// The name with its namespace: `user.comment`.
    pub name: String,
    /// The value.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub value: Vec<u8>,
}

/// The owner and group to set; `None` leaves the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ownership {
    /// The user id of the owner.
    pub uid: Option<u32>,
    /// The group id.
    pub gid: Option<u32>,
}

/// The existing files from which a new file may inherit the owner, group and mode that are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Inherit {
    /// The file that is replaced, whoever created it.
    ///
    /// In a directory where everybody may create files (`/tmp`), only a file of root or of the user of this
    /// process counts.
    #[default]
    FromAnyone,
    /// A file of root or of the user of this process, or in a directory where nobody else can create files.
    ///
    /// Use this for files that must not fall into the hands of somebody who created a file there first.
    FromTrusted,
}

/// The parameters of a file write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteFile<'a> {
    /// The whole content.
    pub content: &'a [u8],
    /// The permission bits; `None` keeps those of the existing file, or `0600` for a new file.
    pub mode: Option<u32>,
    /// The owner and group; `None` keeps those of the existing file.
    pub ownership: Ownership,
    /// The rule for keeping attributes of the existing file.
    pub inherit: Inherit,
}

impl<'a> WriteFile<'a> {
    /// Writes `content` and keeps everything else.
    pub fn new(content: &'a [u8]) -> Self {
        let CommitFile { mode, ownership, inherit, .. } = CommitFile::default();
        Self { content, mode, ownership, inherit }
    }
}

/// The parameters of the commit of a [staged](super::Files::stage) file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CommitFile {
    /// The permission bits; `None` keeps those of the existing file, or `0600` for a new file.
    pub mode: Option<u32>,
    /// The owner and group; `None` keeps those of the existing file.
    pub ownership: Ownership,
    /// The rule for keeping attributes of the existing file.
    pub inherit: Inherit,
    /// The modification time; `None` is the current time.
    #[cfg_attr(feature = "serde", serde(rename = "modified_ns", with = "crate::types::json_forms::time"))]
    pub modified: Option<SystemTime>,
}

/// An open file with random access for reading.
///
/// The open file stays the same when another file takes its name.
#[async_trait]
pub trait ReadAt: Send + Sync {
    /// Returns the metadata at the time of opening.
    fn metadata(&self) -> &Metadata;

    /// Reads at `offset` bytes from the start.
    ///
    /// Returns the number of bytes that `buffer` received.
    ///
    /// Fewer bytes than the buffer has room for do not mean the end of the file; only 0 does.
    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError>; // with `#[async_trait]` on the `impl`
}

/// A file that is being written, and is invisible until it is committed.
///
/// The file is committed by itself or [with others](super::Files::commit_all). Dropping it without a commit leaves
/// nothing. After a write that failed, or whose future was dropped, it cannot be committed.
#[async_trait]
pub trait StagedFile: Any + Send + Sync {
    /// Appends bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`

    /// Replaces the target atomically.
    ///
    /// The file reaches the disk as with [`Files::write`](super::Files::write).
    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError>;
}

/// An unnamed file for data that is too large for memory.
///
/// It is gone when it is dropped or the process ends.
#[async_trait]
pub trait ScratchFile: Send + Sync {
    /// Appends bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`

    /// Ends writing and opens the file for reading.
    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError>;
}

/// A temporary directory with mode `0700`, owned by the user of the process.
///
/// The directory is removed with its content on drop, also when the task fails or is cancelled. A killed
/// process leaves it behind.
///
/// Changes in it do not count as changes of the machine. A check may therefore use one, for instance to have
/// a program validate a file.
#[async_trait]
pub trait TempDir: Send + Sync {
    /// Returns its path.
    ///
    /// The name is unpredictable before creation, and nobody else may access the directory.
    fn path(&self) -> &Path;

    /// Removes the directory now, and reports a failure.
    ///
    /// Dropping it removes it on the calling thread, without an error.
    async fn remove(self: Box<Self>) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`
}
