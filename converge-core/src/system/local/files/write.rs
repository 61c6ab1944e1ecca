//! Writing: a complete new file takes the place of its target at once.
//!
//! What exists is replaced by the rename of a temporary file; what does not gets a file that had no name
//! before. A new target costs `lstat`, an `open` for a leftover, `open`, `statx`, `write`, `linkat` and
//! `close`. Owner and mode are only changed where they are not what the new file has anyway.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::temporary::{self, Temporary};
use super::{MODE_BITS, there, unnamed};
use crate::system::{Ownership, SystemErrorKind, WriteFile};

/// Of a new file that no mode was given for.
const NEW_FILE_MODE: u32 = 0o600;

const SET_ID_BITS: u32 = 0o6000;

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

pub(super) fn write(path: &Path, write: WriteFile<'_>) -> Result<(), SystemErrorKind> {
    let (target, existing) = resolve(path)?;
    let mode = write.mode.or(existing.as_ref().map(MetadataExt::mode)).unwrap_or(NEW_FILE_MODE) & MODE_BITS;
    let owner = Ownership {
        uid: write.ownership.uid.or(existing.as_ref().map(MetadataExt::uid)),
        gid: write.ownership.gid.or(existing.as_ref().map(MetadataExt::gid)),
    };
    // Until the file has its owner, nobody whom that owner would keep out may open it.
    let first_mode = if owner == Ownership::default() { mode & !SET_ID_BITS } else { mode & 0o700 };
    let complete = |file: &mut File, created: &fs::Metadata| fill(file, created, mode, owner, &write);
    let directory = directory_of(&target);
    let linked = existing.is_none() && {
        temporary::clear(&target);
        match unnamed::create(directory, first_mode) {
            Some(mut file) => {
                let created = file.metadata()?;
                complete(&mut file, &created)?;
                unnamed::link(&file, &target)
            }
            None => false,
        }
    };
    if !linked {
        let mut temporary = Temporary::create(&target, first_mode)?;
        let created = temporary.metadata().clone();
        complete(temporary.file(), &created)?;
        temporary.rename(&target)?;
    }
    if write.durable {
        File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// Writes the content of a file that was just created, and gives it its owner and mode.
fn fill(
    file: &mut File,
    created: &fs::Metadata,
    mode: u32,
    owner: Ownership,
    write: &WriteFile<'_>,
) -> io::Result<()> {
    let uid = owner.uid.filter(|uid| *uid != created.uid());
    let gid = owner.gid.filter(|gid| *gid != created.gid());
    if uid.is_some() || gid.is_some() {
        std::os::unix::fs::fchown(&*file, uid, gid)?;
    }
    file.write_all(write.content)?;
    // Last, as both a change of owner and a write take the set-id bits away.
    if created.mode() & MODE_BITS != mode || mode & SET_ID_BITS != 0 {
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    if write.durable {
        file.sync_all()?;
    }
    Ok(())
}

/// Where the file is really to be, and what is there now.
fn resolve(path: &Path) -> Result<(PathBuf, Option<fs::Metadata>), SystemErrorKind> {
    let mut target = path.to_owned();
    for _ in 0..=MAX_LINKS {
        // Only an absent file is fine: one below something that is no directory cannot be created.
        let found = match fs::symlink_metadata(&target) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !is_directory_path(&target) => {
                return Ok((target, None));
            }
            found => found?,
        };
        if found.is_file() {
            return Ok((target, Some(found)));
        } else if found.is_dir() {
            return Err(SystemErrorKind::IsADirectory);
        } else if !found.is_symlink() {
            // A rename would put a file in the place of a device.
            return Err(SystemErrorKind::NotAFile);
        }
        // A relative link starts where it is; an absolute one replaces all of the path.
        let Some(link) = there(fs::read_link(&target))? else { continue };
        target = directory_of(&target).join(link);
    }
    Err(SystemErrorKind::LinkLoop)
}

/// A path that only a directory can have.
fn is_directory_path(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}
