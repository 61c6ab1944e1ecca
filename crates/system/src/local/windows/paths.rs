//! What is done with a path, whoever names it: a path of its own, or a name in a directory.

use std::fs::{self, File, FileType};
use std::io::{Read as _, Write as _};
use std::os::windows::fs::{FileExt as _, symlink_dir, symlink_file};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::super::pool::{PIECE, Wanted};
use super::super::shared::Shared;
use super::profile::{is_in, profile};
use crate::names::is_temporary;
use crate::{
    FileContent, FileKind, Follow, Metadata, NamedEntry, Ownership, ReadAt, SpecialFile, SystemError,
    SystemErrorKind,
};

pub(super) type Outcome<T> = Result<T, SystemErrorKind>;

/// Nothing at the path is an answer, also when the path goes on below something that is no directory.
pub(super) fn there<T>(found: Outcome<T>) -> Outcome<Option<T>> {
    match found {
        Err(SystemErrorKind::NotFound | SystemErrorKind::NotADirectory) => Ok(None),
        found => found.map(Some),
    }
}

/// A name that temporary files have is nobody else's.
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

/// Rights are lists here, which are not read: the bits say whether the file is marked as one that is only read, and everything
/// belongs to nobody in particular. How many names a file has is not known.
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

/// What is wrong with something that was to be a file; nothing when it is one.
pub(super) fn expect_file(kind: FileKind) -> Outcome<()> {
    match kind {
        FileKind::File => Ok(()),
        FileKind::Directory => Err(SystemErrorKind::IsADirectory),
        FileKind::Symlink => Err(SystemErrorKind::InvalidPath),
        FileKind::Special(special) => Err(SystemErrorKind::NotAFile(special)),
    }
}

/// A regular file that is open.
pub(super) struct OpenFile {
    file: Arc<File>,
    metadata: Metadata,
    path: PathBuf,
    shared: Arc<Shared>,
}

impl OpenFile {
    /// Opens what is a file, and nothing else.
    pub(super) fn open(path: &Path, follow: Follow, shared: &Arc<Shared>) -> Outcome<Self> {
        expect_file(look(path, follow)?.kind)?;
        Self::of(File::open(path)?, path, shared)
    }

    pub(super) fn of(file: File, path: &Path, shared: &Arc<Shared>) -> Outcome<Self> {
        let metadata = describe(&file.metadata()?);
        expect_file(metadata.kind)?;
        Ok(Self { file: Arc::new(file), metadata, path: path.to_owned(), shared: Arc::clone(shared) })
    }

    /// All of it, up to the first `most` bytes.
    pub(super) async fn content(self, most: u64) -> Outcome<FileContent> {
        let file = Arc::clone(&self.file);
        let read = move |wanted: &Wanted| {
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
            read(&Wanted::default())?
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

/// Writes over what a file has; what was longer is cut afterwards.
pub(super) async fn write_in_place(path: &Path, content: &[u8], shared: &Shared) -> Outcome<()> {
    let found = look(path, Follow::Links)?;
    expect_file(found.kind)?;
    let mut file = File::options().write(true).open(path)?;
    let content = content.to_vec();
    // The disk is waited for in any case.
    let write = move |_: &Wanted| {
        file.write_all(&content)?;
        if found.len > content.len() as u64 {
            file.set_len(content.len() as u64)?;
        }
        Ok(file.sync_all()?)
    };
    shared.pool.run(write).await
}

/// What is in a directory, sorted by name.
pub(super) fn entries(path: &Path) -> Outcome<Vec<NamedEntry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        entries.push(NamedEntry { name: entry.file_name(), kind: kind(entry.file_type()?) });
    }
    entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(entries)
}

/// A new directory has the rights that the one it is in gives to it. So one may be made that everybody may look into, and in the
/// profile of the user one that is for that user.
pub(super) fn create_dir(path: &Path, mode: u32) -> Outcome<()> {
    const READABLE_BY_ALL: u32 = 0o005;

    refuse_name(path)?;
    if mode & READABLE_BY_ALL != READABLE_BY_ALL && !is_kept_for_one(path, mode)? {
        return Err(SystemErrorKind::unsupported("a mode that keeps others out of a directory"));
    }
    Ok(fs::create_dir(path)?)
}

/// Whether a file may get this mode: none, or in the profile of the user one that is for that user.
pub(super) fn expect_mode(path: &Path, mode: Option<u32>) -> Outcome<()> {
    match mode {
        None => Ok(()),
        Some(mode) if is_kept_for_one(path, mode)? => Ok(()),
        Some(_) => Err(set_mode()),
    }
}

/// Whether a mode keeps everybody else out, at a place where they are kept out.
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

/// A link says whether it is one to a directory, so what is not there yet is taken for a file.
pub(super) fn symlink(target: &Path, path: &Path) -> Outcome<()> {
    refuse_name(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(if folder.join(target).is_dir() { symlink_dir(target, path) } else { symlink_file(target, path) }?)
}

pub(super) fn set_mode() -> SystemErrorKind {
    SystemErrorKind::unsupported("the mode of a file")
}

/// Nothing to change is no change.
pub(super) fn set_ownership(ownership: Ownership) -> Outcome<()> {
    if ownership == Ownership::default() {
        Ok(())
    } else {
        Err(SystemErrorKind::unsupported("the owner of a file"))
    }
}

/// The standard library tells no file from another.
pub(super) fn inode() -> SystemErrorKind {
    SystemErrorKind::unsupported("which file has a name")
}

/// A link that could not be told from a copy.
pub(super) fn hard_link() -> SystemErrorKind {
    SystemErrorKind::unsupported("a hard link")
}

pub(super) fn rename(from: &Path, to: &Path) -> Outcome<()> {
    refuse_name(to)?;
    Ok(fs::rename(from, to)?)
}

/// Removes what is no directory.
pub(super) fn remove_file(path: &Path) -> Outcome<()> {
    match fs::remove_file(path) {
        // A link to a directory is removed as one.
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
