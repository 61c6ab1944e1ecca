//! Operations on a path, shared by absolute paths and entries of a directory.

use std::fs::{self, File, FileType};
use std::io::{Read as _, Write as _};
use std::os::windows::fs::{FileExt as _, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::super::pool::{CancelFlag, PIECE};
use super::super::system_state::Shared;
use super::profile::{is_in, profile};
use crate::names::is_temporary;
use crate::{
    FileContent, FileKind, Follow, Metadata, NamedEntry, Ownership, ReadAt, SpecialFile, SystemError,
    SystemErrorKind,
};

pub(super) type Outcome<T> = Result<T, SystemErrorKind>;

/// Converts a missing path, or a path below a non-directory, into `None`.
pub(super) fn there<T>(found: Outcome<T>) -> Outcome<Option<T>> {
    match found {
        Err(SystemErrorKind::NotFound | SystemErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}

/// Refuses names of the form reserved for temporary files.
pub(super) fn refuse_name(path: &Path) -> Outcome<()> {
    if path.file_name().is_some_and(is_temporary) { Err(SystemErrorKind::ReservedName) } else { Ok(()) }
}

fn kind(file_type: FileType) -> FileKind {
    if file_type.is_symlink() {
        FileKind::Symlink
    } else if file_type.is_dir() {
        FileKind::Directory
    } else if file_type.is_file() {
        FileKind::File
    } else {
        FileKind::Special(SpecialFile::Unknown)
    }
}

/// Converts metadata.
///
/// Access lists are not read. The mode tells only whether the file is read-only, the owner is 0, and the
/// number of links is unknown.
fn describe(found: &fs::Metadata) -> Metadata {
    let kind = kind(found.file_type());
    let all = if kind == FileKind::Directory { 0o777 } else { 0o666 };
    let mode = if found.permissions().readonly() { all & 0o555 } else { all };
    Metadata { kind, mode, uid: 0, gid: 0, len: found.len(), modified: found.modified().ok(), links: 1 }
}

pub(super) fn look(path: &Path, follow: Follow) -> Outcome<Metadata> {
    let found = match follow {
        Follow::Links => fs::metadata(path),
        Follow::Never => fs::symlink_metadata(path),
    };
    Ok(describe(&found?))
}

/// Returns an error unless the kind is a regular file.
pub(super) fn expect_file(kind: FileKind) -> Outcome<()> {
    match kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(SystemErrorKind::IsADirectory),
        FileKind::Symlink => Err(SystemErrorKind::InvalidPath),
        FileKind::Special(special) => Err(SystemErrorKind::NotAFile(special)),
    }
}

pub(super) struct OpenFile {
    file: Arc<File>,
    metadata: Metadata,
    path: PathBuf,
    shared: Arc<Shared>,
}

impl OpenFile {
    /// Opens a regular file, and refuses anything else.
    pub(super) fn open(path: &Path, follow: Follow, shared: &Arc<Shared>) -> Outcome<Self> {
        expect_file(look(path, follow)?.kind)?;
        Self::new(File::open(path)?, path, shared)
    }

    pub(super) fn new(file: File, path: &Path, shared: &Arc<Shared>) -> Outcome<Self> {
        let metadata = describe(&file.metadata()?);
        expect_file(metadata.kind)?;
        Ok(Self { file: Arc::new(file), metadata, path: path.to_owned(), shared: Arc::clone(shared) })
    }

    /// Reads the file up to its first `most` bytes.
    pub(super) async fn content(self, most: u64) -> Outcome<FileContent> {
        let file = Arc::clone(&self.file);
        let read = move |wanted: &CancelFlag| {
            let mut bytes = Vec::new();
            loop {
                let size = (PIECE as u64).min(most.saturating_sub(bytes.len() as u64));
                let count = (&*file).take(size).read_to_end(&mut bytes)?;
                if size == 0 || (count as u64) < size {
                    return Ok(bytes);
                }
                wanted.check()?;
            }
        };
        let bytes = if self.shared.pool.is_large(self.metadata.len.min(most)) {
            self.shared.pool.run(read).await?
        } else {
            read(&CancelFlag::default())?
        };
        Ok(FileContent { metadata: self.metadata, bytes })
    }
}

#[async_trait]
impl ReadAt for OpenFile {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
        let Self { file, metadata, path, shared } = self;
        let read = shared.pool.read_at(file, metadata.len, offset, buffer, File::seek_read).await;
        read.map_err(|kind| SystemError::file("read", path, kind))
    }
}

/// Overwrites a file in place, then truncates it.
pub(super) async fn write_in_place(path: &Path, content: &[u8], shared: &Shared) -> Outcome<()> {
    let found = look(path, Follow::Links)?;
    expect_file(found.kind)?;
    let mut file = File::options().write(true).open(path)?;
    let content = content.to_vec();
    // The write always waits for the disk.
    let write = move |_: &CancelFlag| {
        file.write_all(&content)?;
        if found.len > content.len() as u64 {
            file.set_len(content.len() as u64)?;
        }
        Ok(file.sync_all()?)
    };
    shared.pool.run(write).await
}

/// Returns the entries of a directory, sorted by name.
pub(super) fn entries(path: &Path) -> Outcome<Vec<NamedEntry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        entries.push(NamedEntry { name: entry.file_name(), kind: kind(entry.file_type()?) });
    }
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// Creates a directory, which inherits its access rights from its parent.
///
/// The mode must therefore allow everybody to read it, or be private and the parent be in the profile of the
/// user.
pub(super) fn create_dir(path: &Path, mode: u32) -> Outcome<()> {
    const READABLE_BY_ALL: u32 = 0o005;

    refuse_name(path)?;
    if mode & READABLE_BY_ALL != READABLE_BY_ALL && !is_kept_for_one(path, mode)? {
        return Err(SystemErrorKind::unsupported("a mode that keeps others out of a directory"));
    }
    Ok(fs::create_dir(path)?)
}

/// Checks that a file may get this mode: none, or a private one in the profile of the user.
pub(super) fn expect_mode(path: &Path, mode: Option<u32>) -> Outcome<()> {
    match mode {
        None => Ok(()),
        Some(mode) if is_kept_for_one(path, mode)? => Ok(()),
        Some(_) => Err(set_mode()),
    }
}

/// Whether the mode is private and the path is in the profile of the user, which others cannot access.
fn is_kept_for_one(path: &Path, mode: u32) -> Outcome<bool> {
    const OF_OTHERS: u32 = 0o077;

    Ok(mode & OF_OTHERS == 0 && is_in(&profile()?, path)?)
}

pub(super) fn read_link(path: &Path) -> Outcome<PathBuf> {
    if look(path, Follow::Never)?.kind != FileKind::Symlink {
        return Err(SystemErrorKind::InvalidPath);
    }
    Ok(fs::read_link(path)?)
}

/// Creates a link.
///
/// Links to directories are of a different kind; a missing target counts as a file.
pub(super) fn symlink(target: &Path, path: &Path) -> Outcome<()> {
    refuse_name(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(if folder.join(target).is_dir() { symlink_dir(target, path) } else { symlink_file(target, path) }?)
}

pub(super) fn set_mode() -> SystemErrorKind {
    SystemErrorKind::unsupported("the mode of a file")
}

/// Returns an error unless nothing is to change.
pub(super) fn set_ownership(ownership: Ownership) -> Outcome<()> {
    if ownership == Ownership::default() {
        Ok(())
    } else {
        Err(SystemErrorKind::unsupported("the owner of a file"))
    }
}

/// Returns an error: the standard library does not expose file identities.
pub(super) fn inode() -> SystemErrorKind {
    SystemErrorKind::unsupported("which file has a name")
}

/// Returns an error: a hard link could not be told from a copy.
pub(super) fn hard_link() -> SystemErrorKind {
    SystemErrorKind::unsupported("a hard link")
}

/// Returns an error: Windows has attributes of another kind.
pub(super) fn extended_attribute() -> SystemErrorKind {
    SystemErrorKind::unsupported("an extended attribute")
}

pub(super) fn rename(from: &Path, to: &Path) -> Outcome<()> {
    refuse_name(to)?;
    Ok(fs::rename(from, to)?)
}

/// Removes anything but a directory.
pub(super) fn remove_file(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        // A link to a directory must be removed like a directory.
        Err(error) => match fs::symlink_metadata(path) {
            Ok(found) if found.file_type().is_symlink() => Ok(fs::remove_dir(path)?),
            Ok(found) if found.is_dir() => Err(SystemErrorKind::IsADirectory),
            _ => Err(error.into()),
        },
        Ok(()) => Ok(()),
    }
}

pub(super) fn remove_dir(path: &Path) -> Outcome<()> {
    if look(path, Follow::Never)?.kind != FileKind::Directory {
        return Err(SystemErrorKind::NotADirectory);
    }
    Ok(fs::remove_dir(path)?)
}
