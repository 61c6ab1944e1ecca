//! The name that a file has for the moment before it replaces another one.
//!
//! A name that is taken can only be taken over by the rename of another name, so there is one for that moment; and, where
//! a file system has no [files without a name](super::unnamed), for as long as the file is written. It is random: nobody can
//! have put anything there before, and it is created anew in any case. Its length is the same for every target.
//!
//! The writer holds a lock on the file, which ends with the writer however that ends. So what a killed run left behind can
//! be told from what is in use, and the next run that needs such a name in the same directory removes it. A
//! writer that finds its file unlinked after locking it has lost it to another one that took it for a leftover, in the
//! moment between creating and locking.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::sync::Arc;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, flock, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::super::cleaned_folders::Swept;
use super::list;
use super::open_file::{Folder, LIST};
use super::stat::{Outcome, describe, mode as bits};
use super::unnamed_file;
use crate::kernel_random::fill;
use crate::names::{RANDOM_BYTES, TEMPORARY_PREFIX, is_temporary};
use crate::{FileKind, Inode, Metadata, SystemErrorKind};

/// How many names are tried before giving up: only another run that sweeps takes one away.
const ATTEMPTS: usize = 16;

/// A locked file with a name of its own. The name is removed when this is dropped, unless it was renamed.
#[derive(Debug)]
pub(super) struct Temporary {
    file: Arc<File>,
    folder: Folder,
    name: OsString,
    metadata: Metadata,
    renamed: bool,
}

/// A name that temporary files have is nobody else's.
pub(super) fn refuse_name(name: &OsStr) -> Outcome<()> {
    if is_temporary(name) { Err(SystemErrorKind::ReservedName) } else { Ok(()) }
}

impl Temporary {
    /// Creates a file with `mode`, less the umask.
    pub(super) fn create(folder: &Folder, mode: u32, swept: &Swept) -> Outcome<Self> {
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
                // A file system without locks: no other process can take the file for a leftover either.
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

    /// Gives a name to a file that has none; `None` where that is not possible.
    pub(super) fn name(
        file: &Arc<File>,
        metadata: &Metadata,
        folder: &Folder,
        swept: &Swept,
    ) -> Outcome<Option<Self>> {
        sweep(folder, swept);
        // Where that fails, no other process can take the file for a leftover either.
        let _ = flock(&**file, FlockOperation::NonBlockingLockExclusive);
        let name = random_name()?;
        if !unnamed_file::link(file, folder, &name) {
            return Ok(None);
        }
        // From here on the name is removed when anything fails.
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

    /// As of when it was created.
    pub(super) fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    /// Gives the file the name of its target.
    pub(super) fn rename(&mut self, target: &OsStr) -> Outcome<()> {
        renameat(&self.folder, &self.name, &self.folder, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // There is an error to report already; the next run tries again.
            let _ = unlinkat(&self.folder, &self.name, AtFlags::empty());
        }
    }
}

/// Removes what killed runs left in a directory, the first time. What fails here is tried by the next run.
fn sweep(folder: &Folder, swept: &Swept) {
    let Ok(listed) = folder.reopen(LIST) else { return };
    let Ok(stat) = fstat(&listed) else { return };
    if !swept.is_first(Inode::of(&stat)) {
        return;
    }
    let Ok(entries) = list::all(listed) else { return };
    for entry in entries {
        if entry.kind == FileKind::File && is_temporary(&entry.name) && is_leftover(folder, &entry.name) {
            let _ = unlinkat(folder, &entry.name, AtFlags::empty());
        }
    }
}

/// Whether this is a file of ours whose writer is gone.
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
        // Writing to a string does not fail.
        let _ = write!(name, "{byte:02x}");
    }
    Ok(name.into())
}
