//! Files and directories.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_trait::async_trait;

use super::SystemError;

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, when links are not followed.
    Symlink,
    /// A device, socket or pipe.
    Other,
}

/// Whether a symbolic link at the end of a path is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// The operation is on what the link points to.
    Links,
    /// The operation is on the link itself.
    Never,
}

/// What is known of a file without reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub modified: Option<SystemTime>,
}

/// A file with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileContent {
    /// As of when it was opened.
    pub metadata: Metadata,
    /// All of its bytes.
    pub bytes: Vec<u8>,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// Full path.
    pub path: PathBuf,
    /// What it is; links are not followed.
    pub kind: FileKind,
}

/// Owner and group to give; `None` leaves the one that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ownership {
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteFile<'a> {
    /// All of its bytes.
    pub content: &'a [u8],
    /// Permission bits; `None` keeps those of the file that is there, and a new file gets `0600`.
    pub mode: Option<u32>,
    /// Owner and group; `None` keeps those of the file that is there.
    pub ownership: Ownership,
    /// Whether the bytes and the rename have reached the disk when the call returns.
    pub durable: bool,
}

impl<'a> WriteFile<'a> {
    /// Writes `content` and keeps everything else.
    pub fn new(content: &'a [u8]) -> Self {
        Self { content, mode: None, ownership: Ownership::default(), durable: false }
    }
}

/// How a [staged](Files::stage) file takes its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CommitFile {
    /// Permission bits; `None` keeps those of the file that is there, and a new file gets `0600`.
    pub mode: Option<u32>,
    /// Owner and group; `None` keeps those of the file that is there.
    pub ownership: Ownership,
    /// Time of the last change of its content; `None` is now.
    pub modified: Option<SystemTime>,
    /// Whether the bytes and the rename have reached the disk when the call returns.
    pub durable: bool,
}

/// A file that is open, for reading at any place of it. It stays the same file when another one takes its name.
#[async_trait]
pub trait ReadAt: Send + Sync {
    /// As of when it was opened.
    fn metadata(&self) -> &Metadata;

    /// Reads what is `offset` bytes after the beginning, and says how many bytes of `buffer` it filled. Fewer than
    /// it has room for are no sign of the end: that is 0.
    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError>;
}

/// A file that is being written, invisible before it is [committed](Self::commit). Dropped without that,
/// it leaves nothing.
#[async_trait]
pub trait StagedFile: Send + Sync {
    /// Adds bytes at its end.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>;

    /// Puts it in the place of its target, at once and as a whole.
    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError>;
}

/// A file without a name, for what is too large for memory. It is gone when it is dropped, or when the process ends.
#[async_trait]
pub trait ScratchFile: Send + Sync {
    /// Adds bytes at its end.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>;

    /// Reads it from now on.
    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError>;
}

/// The files of a machine.
///
/// Paths are absolute, or relative to the working directory of the process. What does not exist is
/// `Ok(None)` where it is asked for, and an error where it is to be changed.
#[async_trait]
pub trait Files: Send + Sync {
    /// Metadata; `None` when there is nothing at the path.
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError>;

    /// Reads a whole file, following links; `None` when there is nothing at the path. A directory is
    /// an error.
    async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError>;

    /// Opens a file for reading, following links; `None` when there is nothing at the path. A directory is an error.
    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError>;

    /// Writes a whole file atomically: after a crash at any moment there is the old file or the new
    /// one. A symbolic link at the path stays, and what it points to is replaced; another hard link of the
    /// file keeps the old content. Anything but a file is an error. The local system writes to a file
    /// without a name first, or to `.NAME.converge-tmp` beside the target where there is a file to replace
    /// or the file system wants names; what a killed run leaves of that, the next write of the same target
    /// removes.
    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError>;

    /// Begins to write a file piece by piece, which then replaces what is at the path as [`write`](Self::write) does.
    async fn stage<'a>(&'a self, path: &Path) -> Result<Box<dyn StagedFile + 'a>, SystemError>;

    /// Creates a file without a name. This is no change of the machine: no other process can see it.
    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError>;

    /// Creates a directory with these permission bits, whatever the umask. Its parent must exist.
    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError>;

    /// When this returns, what was created in this directory, or removed from it, has reached the disk.
    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError>;

    /// Entries of a directory, sorted by path.
    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError>;

    /// Changes permission bits, following links.
    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError>;

    /// Changes owner and group. As the systems themselves do, this takes set-uid and set-gid away from
    /// files: set the mode afterwards.
    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError>;

    /// Where a symbolic link points; `None` when there is nothing at the path.
    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError>;

    /// Creates a symbolic link at `path` that points to `target`.
    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError>;

    /// Renames, replacing a file that is there.
    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError>;

    /// Removes a file or a link. What is not there is an error.
    async fn remove_file(&self, path: &Path) -> Result<(), SystemError>;

    /// Removes an empty directory.
    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError>;
}
