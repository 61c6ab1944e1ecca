//! A new file on its way to its name: written as a whole or piece by piece.
//!
//! What exists is replaced by the rename of a temporary file; what does not gets a file that had no name
//! before. Owner and mode are only changed where they are not what the new file has anyway.

use std::fs::{self, File};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::stat::{MODE_BITS, existing};
use super::temporary::{self, Temporary};
use super::unnamed;
use crate::system::{CommitFile, Ownership, StagedFile, SystemError, SystemErrorKind};

/// Of a new file that no mode was given for.
const NEW_FILE_MODE: u32 = 0o600;

pub(super) const SET_ID_BITS: u32 = 0o6000;

/// As many links as Linux follows.
const MAX_LINKS: usize = 40;

/// Where a file is to be, and what is there now.
pub(super) struct WriteTarget {
    path: PathBuf,
    existing: Option<fs::Metadata>,
}

/// A new file, invisible before it is committed.
pub(super) struct Staged {
    target: WriteTarget,
    place: Place,
}

enum Place {
    Unnamed(File, fs::Metadata),
    Temporary(Temporary),
}

impl WriteTarget {
    /// Follows links to where the file is really to be.
    pub(super) fn resolve(path: &Path) -> Result<Self, SystemErrorKind> {
        let mut target = path.to_owned();
        for _ in 0..=MAX_LINKS {
            // Only an absent file is fine: one below something that is no directory cannot be created.
            let found = match fs::symlink_metadata(&target) {
                Err(error) if error.kind() == io::ErrorKind::NotFound && !is_directory_path(&target) => {
                    return Ok(Self { path: target, existing: None });
                }
                found => found?,
            };
            if found.is_file() {
                return Ok(Self { path: target, existing: Some(found) });
            } else if found.is_dir() {
                return Err(SystemErrorKind::IsADirectory);
            } else if !found.is_symlink() {
                // A rename would put a file in the place of a device.
                return Err(SystemErrorKind::NotAFile);
            }
            // A relative link starts where it is; an absolute one replaces all of the path.
            let Some(link) = existing(fs::read_link(&target))? else { continue };
            target = directory_of(&target).join(link);
        }
        Err(SystemErrorKind::LinkLoop)
    }

    pub(super) fn mode(&self, given: Option<u32>) -> u32 {
        given.or(self.existing.as_ref().map(MetadataExt::mode)).unwrap_or(NEW_FILE_MODE) & MODE_BITS
    }

    pub(super) fn ownership(&self, given: Ownership) -> Ownership {
        Ownership {
            uid: given.uid.or(self.existing.as_ref().map(MetadataExt::uid)),
            gid: given.gid.or(self.existing.as_ref().map(MetadataExt::gid)),
        }
    }
}

impl Staged {
    /// Creates the file, empty, with `mode` less the umask.
    pub(super) fn create(target: WriteTarget, mode: u32) -> Result<Self, SystemErrorKind> {
        if target.existing.is_none() {
            temporary::clear(&target.path);
            if let Some(file) = unnamed::create(directory_of(&target.path), mode) {
                let created = file.metadata()?;
                return Ok(Self { target, place: Place::Unnamed(file, created) });
            }
        }
        let temporary = Temporary::create(&target.path, mode)?;
        Ok(Self { target, place: Place::Temporary(temporary) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.place {
            Place::Unnamed(file, _) => file.write_all(bytes),
            Place::Temporary(temporary) => temporary.file().write_all(bytes),
        }
    }

    /// Gives the file its owner, its mode and its name.
    pub(super) fn commit(self, commit: CommitFile) -> io::Result<()> {
        let Self { target, place } = self;
        let mode = target.mode(commit.mode);
        let owner = target.ownership(commit.ownership);
        let mut temporary = match place {
            Place::Unnamed(mut file, created) => {
                complete(&file, &created, mode, owner, commit)?;
                if unnamed::link(&file, &target.path) {
                    return sync(&target.path, commit);
                }
                // Another process was quicker, and a file with a name is only replaced by one that has one.
                let mut temporary = Temporary::create(&target.path, mode & 0o700)?;
                file.rewind()?;
                io::copy(&mut file, temporary.file())?;
                temporary
            }
            Place::Temporary(temporary) => temporary,
        };
        let created = temporary.metadata().clone();
        complete(temporary.file(), &created, mode, owner, commit)?;
        temporary.rename(&target.path)?;
        sync(&target.path, commit)
    }
}

/// Gives a file that was just created all but its name.
fn complete(
    file: &File,
    created: &fs::Metadata,
    mode: u32,
    owner: Ownership,
    commit: CommitFile,
) -> io::Result<()> {
    let uid = owner.uid.filter(|uid| *uid != created.uid());
    let gid = owner.gid.filter(|gid| *gid != created.gid());
    if uid.is_some() || gid.is_some() {
        std::os::unix::fs::fchown(file, uid, gid)?;
    }
    // After the owner, as both a change of that and a write take the set-id bits away.
    if created.mode() & MODE_BITS != mode || mode & SET_ID_BITS != 0 {
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    if let Some(modified) = commit.modified {
        file.set_modified(modified)?;
    }
    if commit.durable {
        file.sync_all()?;
    }
    Ok(())
}

fn sync(target: &Path, commit: CommitFile) -> io::Result<()> {
    if commit.durable {
        File::open(directory_of(target))?.sync_all()?;
    }
    Ok(())
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

/// Begins to write a file that only its owner can open until it is complete.
pub(super) fn stage(path: &Path) -> Result<Named, SystemErrorKind> {
    let staged = Staged::create(WriteTarget::resolve(path)?, NEW_FILE_MODE)?;
    Ok(Named { staged, path: path.to_owned() })
}

/// With the path that messages name.
pub(super) struct Named {
    staged: Staged,
    path: PathBuf,
}

#[async_trait]
impl StagedFile for Named {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.staged.write(bytes).map_err(|error| SystemError::file("write", &self.path, error))
    }

    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError> {
        let Self { staged, path } = *self;
        staged.commit(commit).map_err(|error| SystemError::file("write", path, error))
    }
}
