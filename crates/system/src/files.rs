//! Files and directories.

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
    /// The operation is on what the link points to.
    Links,
    /// The operation is on the link itself.
    Never,
}

/// A file with its content.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FileContent {
    /// As of when it was opened.
    pub metadata: Metadata,
    /// Its bytes, as far as they were asked for.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::bytes"))]
    pub bytes: Vec<u8>,
}

/// An entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DirEntry {
    /// Full path.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))]
    pub path: PathBuf,
    /// What it is; links are not followed.
    pub kind: FileKind,
}

/// An entry of an open [`Directory`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NamedEntry {
    /// Its name.
    #[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::name"))]
    pub name: OsString,
    /// What it is; links are not followed.
    pub kind: FileKind,
}

/// Owner and group to give; `None` leaves the one that is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ownership {
    /// Owner.
    pub uid: Option<u32>,
    /// Group.
    pub gid: Option<u32>,
}

/// From whom a new file takes over the owner, the group and the mode that are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Inherit {
    /// From the file that it replaces, whoever made that; but in a directory where everybody may create files
    /// (`/tmp`), only from a file of root or of the user of this process.
    #[default]
    FromAnyone,
    /// Only from a file of root or of the user of this process, or in a directory where nobody else can make files. It is
    /// for what must not get into the hands of somebody who made a file there first.
    FromTrusted,
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
    /// Whether those of the file that is there are kept.
    pub inherit: Inherit,
}

impl<'a> WriteFile<'a> {
    /// Writes `content` and keeps everything else.
    pub fn new(content: &'a [u8]) -> Self {
        let CommitFile { mode, ownership, inherit, .. } = CommitFile::default();
        Self { content, mode, ownership, inherit }
    }
}

/// How a [staged](Files::stage) file takes its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CommitFile {
    /// Permission bits; `None` keeps those of the file that is there, and a new file gets `0600`.
    pub mode: Option<u32>,
    /// Owner and group; `None` keeps those of the file that is there.
    pub ownership: Ownership,
    /// Whether those of the file that is there are kept.
    pub inherit: Inherit,
    /// Time of the last change of its content; `None` is now.
    #[cfg_attr(feature = "serde", serde(rename = "modified_ns", with = "crate::types::json_forms::time"))]
    pub modified: Option<SystemTime>,
}

/// A file that is open, for reading at any place of it. It stays the same file when another one takes its name.
#[async_trait]
pub trait ReadAt: Send + Sync {
    /// As of when it was opened.
    fn metadata(&self) -> &Metadata;

    /// Reads what is `offset` bytes after the beginning, and says how many bytes of `buffer` it filled. Fewer than
    /// it has room for are no sign of the end: that is 0.
    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError>; // with `#[async_trait]` on the `impl`
}

/// A file that is being written, invisible before it is committed: by itself, or [with others](Files::commit_all).
/// Dropped without that, it leaves nothing. One of which a write failed, or was given up (its future was dropped), cannot be
/// committed.
#[async_trait]
pub trait StagedFile: Any + Send + Sync {
    /// Adds bytes at its end.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`

    /// Puts it in the place of its target, at once and as a whole. It reaches the disk as by [`Files::write`].
    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError>;
}

/// A file without a name, for what is too large for memory. It is gone when it is dropped, or when the process ends.
#[async_trait]
pub trait ScratchFile: Send + Sync {
    /// Adds bytes at its end.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`

    /// Reads it from now on.
    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError>;
}

/// A folder for a while, of mode `0700`, which belongs to the user of the process. It is removed with all that is in it when this is dropped,
/// also when the task fails or is cancelled. A process that is killed leaves it behind.
///
/// What is done in it is no change of the machine, so a check may use one too: to have a program look at a file, for instance.
#[async_trait]
pub trait TempDir: Send + Sync {
    /// Where it is. Nobody else knows the name before it is there, and nobody else may use it.
    fn path(&self) -> &Path;

    /// Removes it now, and says when that failed. Dropping it does the same on the calling thread and tells nobody.
    async fn remove(self: Box<Self>) -> Result<(), SystemError>; // with `#[async_trait]` on the `impl`
}

/// A directory that is open. What is done through it happens in that directory, also when its path leads elsewhere by
/// now, so a tree is worked on through directories, and never by paths that are put together.
///
/// A `name` is that of one entry: no slash, not empty, neither `.` nor `..`; any other is
/// [`InvalidPath`](super::SystemErrorKind::InvalidPath). Links are never followed, but by
/// [`open_below`](Self::open_below). What does not exist is `Ok(None)` where it
/// is asked for, and an error where it is to be changed. Anything that is made fails where something has the name already,
/// except that a staged file replaces a file or a link.
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
    /// The path that it was opened by, which is what messages name.
    fn path(&self) -> &Path;

    /// Metadata of the directory itself.
    async fn own_metadata(&self) -> Result<Metadata, SystemError>; // with `#[async_trait]` on the `impl`

    /// What is in it, sorted by name.
    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError>;

    /// Metadata of an entry; `None` when there is nothing of this name.
    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError>;

    /// Opens a directory in it; `None` when there is nothing of this name. Anything but a directory is an error.
    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError>;

    /// Opens a directory in it by a path, on which links are followed as by [`Files`], but only to places in this
    /// directory: what is not in it is [`Outside`](super::SystemErrorKind::Outside). `None` when there is nothing at the path.
    /// The [`path`](Self::path) of what is opened is that of this directory and the names that lead there without a link.
    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>;

    /// Opens a file in it for reading; `None` when there is nothing of this name. Anything but a file is an error.
    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError>;

    /// Where a symbolic link points; `None` when there is nothing of this name.
    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError>;

    /// Begins to write a file. It takes the place of a file or a link of this name when it is committed.
    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError>;

    /// Creates a directory with these permission bits, whatever the umask.
    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>;

    /// Creates a symbolic link that points to `target`.
    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError>;

    /// Which file an entry is; `None` when there is nothing of this name.
    async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError>;

    /// Gives the file at a path, which is one of [`Files`], another name in this directory: see [`Files::hard_link`].
    async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError>;

    /// Changes permission bits. Those of a link are an error.
    async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError>;

    /// Changes owner and group, of a link itself too. See [`Files::set_ownership`].
    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError>;

    /// See [`Files::may_change`].
    async fn may_change(&self, name: &OsStr) -> Result<(), SystemError>;

    /// Renames an entry within the directory, replacing a file that is there. Where both are names of one file, nothing happens, and
    /// both stay.
    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError>;

    /// Removes a file or a link. What is not there is an error.
    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError>;

    /// Removes an empty directory.
    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError>;

    /// When this returns, what was created in this directory, or removed from it, has reached the disk.
    async fn sync(&self) -> Result<(), SystemError>;
}

/// The files of a machine.
///
/// Paths are absolute, or relative to the working directory of the process. What does not exist is
/// `Ok(None)` where it is asked for, and an error where it is to be changed.
///
/// # Links
///
/// Root and the user that the process runs as are trusted; everybody else is not. A symbolic link that somebody
/// else owns, or that is in a directory of theirs, is followed only to what belongs to them, and in a directory
/// where everybody may create files (`/tmp`), links of others are not followed. That holds for every link
/// on the way, and for reading as well. What is refused is
/// [`ForeignLink`](super::SystemErrorKind::ForeignLink). Real directories and files are used whoever owns them.
///
/// A file that has several names, one of them in a directory of somebody else's, and does not belong to them, is not
/// changed in place, and not read unless everybody may read it:
/// [`ForeignName`](super::SystemErrorKind::ForeignName).
///
/// A path is resolved once, and what was found is what is used: nobody can put something else there in between.
#[async_trait]
pub trait Files: Send + Sync {
    /// Metadata; `None` when there is nothing at the path.
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError>; // with `#[async_trait]` on the `impl`

    /// Reads a whole file, following links; `None` when there is nothing at the path. A directory is
    /// an error.
    async fn read(&self, path: &Path) -> Result<Option<FileContent>, SystemError> {
        self.read_head(path, u64::MAX).await
    }

    /// Reads a file like [`read`](Self::read), but no more of it than its first `most` bytes: who compares it with
    /// something asks for one byte more than that has, however large the file is.
    async fn read_head(&self, path: &Path, most: u64) -> Result<Option<FileContent>, SystemError>;

    /// Opens a file for reading, following links; `None` when there is nothing at the path. A directory is an error.
    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError>;

    /// Writes a whole file atomically and durably: after a crash or a power cut at any moment there is the old file or
    /// the new one, and the new one when this has returned. The bytes reach the disk before the file gets its name,
    /// and the name before this returns. A symbolic link at the path stays, and what it points to is replaced; another hard link of the
    /// file keeps the old content. Anything but a file is an error. The local system writes to a file
    /// without a name first; one that replaces another has a random name beside it for the moment before that,
    /// and for as long as it is written where the file system wants names. What a killed run leaves of that, the
    /// next run that replaces something in the directory removes. A path of that form of name is
    /// [`ReservedName`](super::SystemErrorKind::ReservedName).
    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError>;

    /// Writes into the file that is there, for what cannot be replaced: files of the kernel (`/proc/sys`), files that are mounted by
    /// themselves, as those of a container are (`/etc/hosts`), and devices. [`write`](Self::write) is for all others: **this is not
    /// atomic**. Whoever reads the file meanwhile may find a part of it, and when this fails, or is killed, or its future is dropped, a part of
    /// it may have been written.
    ///
    /// The file keeps its owner, its mode, and its other names, and is as long as `content` afterwards, unless it has no
    /// length. All of the content is offered to it at once, which files of the kernel ask for. Nothing is made: where nothing is there, that is
    /// [`NotFound`](super::SystemErrorKind::NotFound). Links are followed as by everything else, and a file with a name that somebody
    /// else may have given it is not changed: see [`may_change`](Self::may_change). A pipe or a socket is an error. When this returns,
    /// the content has reached the disk, where there is one.
    async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError>;

    /// The file at the path from which one that is written there takes over the owner, the group and the mode that
    /// are not given; `None` when there is none, or it belongs to somebody from whom nothing is taken over.
    async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError>;

    /// Begins to write a file piece by piece, which then replaces what is at the path as [`write`](Self::write) does.
    async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError>;

    /// Commits files of this system together, which costs the disk less than one after another, and promises the same
    /// for each: a file that cannot be committed is an error of its own and keeps no other from its place. There is
    /// one result for each, in their order. Each is an open file until then: a caller with many commits them by the
    /// hundred.
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

    /// Creates a file without a name. This is no change of the machine: no other process can see it.
    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError>;

    /// Makes a folder for a while, in the directory for that of the machine (`TMPDIR`, `/tmp`), or in `/tmp` below the
    /// [root](super::LocalSystemBuilder::root) of a tenant. Each has another name.
    async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError>;

    /// Creates a directory with these permission bits, whatever the umask. Its parent must exist.
    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError>;

    /// When this returns, what was created in this directory, or removed from it, has reached the disk.
    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError>;

    /// When this returns, all that was changed before on the file systems of these paths has reached the disk: new
    /// directories and links, owners, permissions, and what is gone, whose path leads to where it was.
    async fn flush(&self, paths: &[&Path]) -> Result<(), SystemError>;

    /// Opens a directory, following links; `None` when there is nothing at the path. Anything but a directory is an error.
    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError>;

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

    /// An error where [`set_mode`](Self::set_mode) and [`set_ownership`](Self::set_ownership) refuse to change what is at the path,
    /// because it is not there, or because of the other names that it has. So a check can say what an apply would.
    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError>;

    /// Where a symbolic link points; `None` when there is nothing at the path.
    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError>;

    /// Creates a symbolic link at `path` that points to `target`.
    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError>;

    /// Which file is at a path; `None` when there is nothing.
    async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError>;

    /// Gives the file at `existing` another name, `path`. Both are the same file from then on, until one of them is replaced. A
    /// symbolic link at the end of `existing` is not followed, and only files can be linked; what was found there is what gets the name.
    /// A file that [may not be changed](Self::may_change) there, because of who may have given it its name, gets no other. On
    /// another file system that is [`OtherFileSystem`](super::SystemErrorKind::OtherFileSystem); where the kernel protects files of
    /// others, [`ProtectedFile`](super::SystemErrorKind::ProtectedFile).
    async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError>;

    /// Renames, replacing a file that is there. Where both are names of one file, nothing happens, and both stay.
    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError>;

    /// Removes a file or a link. What is not there is an error.
    async fn remove_file(&self, path: &Path) -> Result<(), SystemError>;

    /// Removes an empty directory.
    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError>;
}
