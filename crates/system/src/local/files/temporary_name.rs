//! Temporary names of files that are about to replace others.
//!
//! An existing name can only be replaced by renaming another name, so the new file has a temporary name for
//! that moment. On file systems without [unnamed files](super::unnamed) it has that name while it is written.
//! The name is random, so that nobody can have created it before, and it is created exclusively. Its length
//! is the same for every target.
//!
//! The writer holds a lock on the file, which ends with the writer. A leftover of a killed run can therefore
//! be told from a file in use. The next run that needs a temporary name in the same directory removes it.
//! Between creation and locking, another run may take the file for a leftover; the writer then finds its file
//! unlinked and tries again.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::sync::Arc;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::super::cleaned_folders::SweptFolders;
use super::list;
use super::open_file::{Folder, LIST};
use super::stat::{Outcome, describe, mode as bits};
use super::unnamed_file;
use crate::kernel_random::fill;
use crate::names::{RANDOM_BYTES, TEMPORARY_PREFIX, is_temporary};
use crate::{FileKind, Inode, Metadata, SystemErrorKind};

/// The number of names that are tried.
///
/// A name is lost only to a concurrent sweep.
const ATTEMPTS: usize = 16;

/// A locked file with a temporary name, which is removed on drop unless it was renamed.
#[derive(Debug)]
pub(super) struct Temporary {
    file: Arc<File>,
    folder: Folder,
    name: OsString,
    metadata: Metadata,
    renamed: bool,
}

/// Refuses names of the form reserved for temporary files.
pub(super) fn refuse_name(name: &OsStr) -> Outcome<()> {
    if is_temporary(name) { Err(SystemErrorKind::ReservedName) } else { Ok(()) }
}

impl Temporary {
    /// Creates a file with `mode` less the umask.
    pub(super) fn create(folder: &Folder, mode: u32, swept: &SweptFolders) -> Outcome<Self> {
        sweep(folder, swept);
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            let name = random_name()?;
            let file = match openat(folder, &name, flags, bits(mode)) {
                Ok(file) => file,
                Err(Errno::EXIST) => continue,
                Err(error) => return Err(error.into()),
            };
            let locked = match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => true,
                Err(Errno::WOULDBLOCK) => continue,
                // The file system has no locks, so no other process can take the file for a leftover either.
                Err(_) => false,
            };
            let metadata = describe(&fstat(&file)?);
            if !locked || metadata.links > 0 {
                return Ok(Self {
                    file: Arc::new(file.into()),
                    folder: folder.clone(),
                    name,
                    metadata,
                    renamed: false,
                });
            }
        }
        Err(SystemErrorKind::Unsteady)
    }

    /// Gives an unnamed file a temporary name; `None` if that is not possible.
    pub(super) fn name(
        file: &Arc<File>,
        metadata: &Metadata,
        folder: &Folder,
        swept: &SweptFolders,
    ) -> Outcome<Option<Self>> {
        sweep(folder, swept);
        // If locking fails, no other process can take the file for a leftover either.
        let _ = flock(&**file, FlockOperation::NonBlockingLockExclusive);
        let name = random_name()?;
        if !unnamed_file::link(file, folder, &name) {
            return Ok(None);
        }
        // From here on, the name is removed on any failure.
        Ok(Some(Self {
            file: Arc::clone(file),
            folder: folder.clone(),
            name,
            metadata: metadata.clone(),
            renamed: false,
        }))
    }

    pub(super) fn file(&self) -> &Arc<File> {
        &self.file
    }

    /// Returns the metadata at the time of creation.
    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    pub(super) fn rename(&mut self, target: &OsStr) -> Outcome<()> {
        renameat(&self.folder, &self.name, &self.folder, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // The first error is the one to report; the next run removes the leftover.
            let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Removes leftovers of killed runs, once per directory.
///
/// The next run retries failures.
fn sweep(folder: &Folder, swept: &SweptFolders) {
    let Ok(listed) = folder.reopen(LIST) else { return };
    let Ok(stat) = fstat(&listed) else { return };
    if !swept.is_first(Inode::from_stat(&stat)) {
        return;
    }
    let Ok(entries) = list::all(listed) else { return };
    for entry in entries {
        if entry.kind == FileKind::File && is_temporary(&entry.name) && is_leftover(folder, &entry.name) {
            let _ = unlinkat(folder, &entry.name, AtFlags::empty());
        }
    }
}

/// Whether the file is ours and its writer is gone.
fn is_leftover(folder: &Folder, name: &OsStr) -> bool {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(file) = openat(folder, name, flags, Mode::empty()) else { return false };
    let Ok(metadata) = fstat(&file).map(|stat| describe(&stat)) else { return false };
    metadata.kind == FileKind::File
        && metadata.links == 1
        && metadata.uid == geteuid().as_raw()
        && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

pub(super) fn random_name() -> Outcome<OsString> {
    let mut random = [0; RANDOM_BYTES];
    fill(&mut random)?;
    let mut name = String::with_capacity(TEMPORARY_PREFIX.len() + 2 * RANDOM_BYTES);
    name.push_str(TEMPORARY_PREFIX);
    for byte in random {
        // Writing to a string cannot fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name.into())
}
