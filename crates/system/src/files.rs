//! The interface to files and directories of a system.

use std::any::Any;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_trait::async_trait;

use super::SystemError;
use super::metadata::{FileKind, Inode, Metadata};

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

/// An entry of an open [`Directory`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NamedEntry {
    /// The name.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::name"))]
    pub name: OsString,
    /// The kind of the entry; links are not followed.
    pub kind: FileKind,
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

/// The parameters of the commit of a [staged](Files::stage) file.
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
/// The file is committed by itself or [with others](Files::commit_all). Dropping it without a commit leaves
/// nothing. After a write that failed, or whose future was dropped, it cannot be committed.
#[async_trait]
pub trait StagedFile: Any + Send + Sync {
    /// Appends bytes.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`

    /// Replaces the target atomically.
    ///
    /// The file reaches the disk as with [`Files::write`].
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

/// An open directory.
///
/// Operations through it apply to that directory, even if its path leads elsewhere by now. Work on a tree
/// through open directories, never through concatenated paths.
///
/// A `name` is that of one entry: no slash, not empty, neither `.` nor `..`. Any other is
/// [`InvalidPath`](super::SystemErrorKind::InvalidPath). Links are never followed, except by
/// [`open_below`](Self::open_below). A missing entry is `Ok(None)` for queries and an error for changes.
/// Creating an entry fails if the name exists, except that a staged file replaces a file or a link.
///
/// ```
/// use converge_core::system::{Directory, FileKind, SystemError};
///
/// /// Counts the files in a tree.
/// async fn count(root: Box<dyn Directory>) -> Result<usize, SystemError> {
///     let mut files = 0;
///     let mut open = vec![root];
///     while let Some(directory) = open.pop() {
///         for entry in directory.entries().await? {
///             match entry.kind {
///                 // It may have gone since it was listed.
///                 FileKind::Directory => open.extend(directory.open_dir(&entry.name).await?),
///                 FileKind::File => files += 1,
///                 _ => {}
///             }
///         }
///     }
///     Ok(files)
/// }
/// ```
#[async_trait]
pub trait Directory: Send + Sync {
    /// Returns the path by which it was opened, for messages.
    fn path(&self) -> &Path;

    /// Returns the metadata of the directory itself.
    async fn own_metadata(&self) -> Result<Metadata, SystemError>; // with `#[async_trait]` on the `impl`

    /// Returns the entries, sorted by name.
    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError>;

    /// Returns the metadata of an entry, or `None` if it does not exist.
    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError>;

    /// Opens a subdirectory, or returns `None` if there is no entry of this name.
    ///
    /// Any other kind of entry is an error.
    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError>;

    /// Opens a directory below this one by a path, or returns `None` if the path does not exist.
    ///
    /// Links are followed as by [`Files`], but only to targets within this directory; others are
    /// [`Outside`](super::SystemErrorKind::Outside). The [`path`](Self::path) of the result consists of the
    /// path of this directory and the link-free names below it.
    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>;

    /// Opens a file for reading, or returns `None` if there is no entry of this name.
    ///
    /// Any other kind of entry is an error.
    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError>;

    /// Returns the target of a symbolic link, or `None` if there is no entry of this name.
    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError>;

    /// Begins to write a file.
    ///
    /// Its commit replaces a file or a link of this name.
    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError>;

    /// Creates a directory with exactly these permission bits, regardless of the umask.
    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>;

    /// Creates a symbolic link that points to `target`.
    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError>;

    /// Returns the identity of an entry's file, or `None` if the entry does not exist.
    async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError>;

    /// Gives the file at a path of [`Files`] a further name in this directory; see [`Files::hard_link`].
    async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError>;

    /// Changes permission bits.
    ///
    /// It is an error for a link.
    async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>;

    /// Changes owner and group, also of a link itself; see [`Files::set_ownership`].
    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError>;

    /// Checks whether an entry may be changed; see [`Files::may_change`].
    async fn may_change(&self, name: &OsStr) -> Result<(), SystemError>;

    /// Renames an entry within the directory, and replaces an existing file.
    ///
    /// If both are names of one file, nothing happens and both stay.
    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError>;

    /// Removes a file or a link.
    ///
    /// A missing entry is an error.
    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError>;

    /// Removes an empty directory.
    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError>;

    /// Waits until entries created or removed in this directory are on disk.
    async fn sync(&self) -> Result<(), SystemError>;
}

/// The files of a machine.
///
/// Paths are absolute, or relative to the working directory of the process. A missing file is `Ok(None)` for
/// queries and an error for changes.
///
/// # Links
///
/// Root and the user that the process runs as are trusted; nobody else is. A symbolic link that another user
/// owns, or that is in a directory of another user, is followed only to files of that user. In a directory
/// where everybody may create files (`/tmp`), links of others are not followed. These rules hold for every
/// link on the path, and for reading as well. A refused link is
/// [`ForeignLink`](super::SystemErrorKind::ForeignLink). Real directories and files are used whoever owns
/// them.
///
/// A file may have several names, one of them in a directory of another user who does not own the file.
/// Through that name the file is not changed in place, and only read if everybody may read it:
/// [`ForeignName`](super::SystemErrorKind::ForeignName).
///
/// A path is resolved once, and the operation applies to the result. Nobody can substitute another file in
/// between.
#[async_trait]
pub trait Files: Send + Sync {
    /// Returns the metadata, or `None` if the path does not exist.
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError>; // with `#[async_trait]` on the `impl`

    /// Reads a whole file, following links, or returns `None` if the path does not exist.
    ///
    /// A directory is an error.
    async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError> {
        self.read_head(path, u64::MAX).await
    }

    /// Reads at most the first `most` bytes of a file, otherwise like [`read`](Self::read).
    ///
    /// To compare a file with known content, ask for one byte more than the content has.
    async fn read_head(&self, path: &Path, maximum: u64) -> Result<Option<FileContent>, SystemError>;

    /// Opens a file for reading, following links, or returns `None` if the path does not exist.
    ///
    /// A directory is an error.
    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError>;

    /// Writes a whole file atomically and durably.
    ///
    /// After a crash or power failure at any moment, the path has the old file or the new one; once this has
    /// returned, the new one. The content reaches the disk before the file gets its name, and the name before
    /// this returns.
    ///
    /// A symbolic link at the path stays, and its target is replaced. Another hard link of the file keeps the
    /// old content. Anything but a file is an error.
    ///
    /// The local system first writes to an unnamed file. If it replaces another file, it has a random name in
    /// the same directory for a moment. If the file system does not support unnamed files, it has that name
    /// for the whole write. The next run that replaces a file in the directory removes leftovers of killed
    /// runs. A path with such a name is [`ReservedName`](super::SystemErrorKind::ReservedName).
    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError>;

    /// Overwrites an existing file in place. **This is not atomic.**
    ///
    /// Use it only for files that cannot be replaced: kernel files (`/proc/sys`), individually mounted files
    /// as in containers (`/etc/hosts`), and devices. Use [`write`](Self::write) for all others. A reader may
    /// see partial content meanwhile. If this fails, is killed or its future is dropped, partial content may
    /// remain.
    ///
    /// The file keeps its owner, mode and other names. Afterwards it is as long as `content`, unless it has
    /// no length. The content is offered in one write, as kernel files require. Nothing is created: a missing
    /// file is [`NotFound`](super::SystemErrorKind::NotFound). Links are followed as elsewhere. A file under
    /// a name that another user may have given it is not changed; see [`may_change`](Self::may_change). A
    /// pipe or a socket is an error. When this returns, the content has reached the disk, if there is one.
    async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError>;

    /// Returns the existing file from which a file written at the path inherits owner, group and mode.
    ///
    /// Returns `None` if there is no file, or if nothing is inherited from its owner.
    async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError>;

    /// Begins to write a file piece by piece.
    ///
    /// Its commit replaces the path as [`write`](Self::write) does.
    async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError>;

    /// Commits several files of this system together, with fewer waits for the disk than one by one.
    ///
    /// Each file has the same guarantees as in a single commit. A file that cannot be committed has an error
    /// of its own and does not affect the others. There is one result per file, in their order. Each file
    /// stays open until then, so a caller with many files commits them in batches of some hundred.
    async fn commit_all(
        &self,
        staged: Vec<(Box<dyn StagedFile>, CommitFile)>,
    ) -> Vec<Result<(), SystemError>> {
        let mut results = Vec::with_capacity(staged.len());
        for (staged, commit) in staged {
            results.push(staged.commit(commit).await);
        }
        results
    }

    /// Creates an unnamed file.
    ///
    /// This does not count as a change of the machine, as no other process can see it.
    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError>;

    /// Creates a temporary directory with a unique name.
    ///
    /// Its parent is the temporary directory of the machine (`TMPDIR`, `/tmp`), or `/tmp` below the
    /// [root](super::LocalSystemBuilder::root) of a tenant.
    async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError>;

    /// Creates a directory with exactly these permission bits, regardless of the umask.
    ///
    /// Its parent must exist.
    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError>;

    /// Waits until entries created or removed in this directory are on disk.
    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError>;

    /// Waits until all earlier changes on the file systems of these paths are on disk.
    ///
    /// The changes include new directories and links, owners, permissions and removals. The path of a removed
    /// file stands for the file system that it was on.
    async fn flush(&self, paths: &[&Path]) -> Result<(), SystemError>;

    /// Opens a directory, following links, or returns `None` if the path does not exist.
    ///
    /// Anything but a directory is an error.
    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>;

    /// Returns the entries of a directory, sorted by path.
    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError>;

    /// Changes permission bits, following links.
    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError>;

    /// Changes owner and group.
    ///
    /// This clears the set-uid and set-gid bits of files, so set the mode afterwards.
    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError>;

    /// Checks whether the mode and the owner of a file may be changed.
    ///
    /// Returns an error if [`set_mode`](Self::set_mode) and [`set_ownership`](Self::set_ownership) would
    /// refuse. The reason is that the file does not exist, or the other names that it has. A check can thus
    /// report the error of an apply.
    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError>;

    /// Returns the target of a symbolic link, or `None` if the path does not exist.
    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError>;

    /// Creates a symbolic link at `path` that points to `target`.
    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError>;

    /// Returns the identity of the file at a path, or `None` if the path does not exist.
    async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError>;

    /// Gives the file at `existing` a further name, `path`.
    ///
    /// Both names refer to the same file until one of them is replaced. A symbolic link at the end of
    /// `existing` is not followed, and only files can be linked. The path is resolved once, and the file
    /// found gets the name. A file that [may not be changed](Self::may_change) through `existing` gets no
    /// further name.
    ///
    /// Another file system is [`OtherFileSystem`](super::SystemErrorKind::OtherFileSystem). A file that the
    /// kernel protects is [`ProtectedFile`](super::SystemErrorKind::ProtectedFile).
    async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError>;

    /// Renames a file or directory, and replaces an existing file.
    ///
    /// If both are names of one file, nothing happens and both stay.
    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError>;

    /// Removes a file or a link.
    ///
    /// A missing file is an error.
    async fn remove_file(&self, path: &Path) -> Result<(), SystemError>;

    /// Removes an empty directory.
    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError>;
}
