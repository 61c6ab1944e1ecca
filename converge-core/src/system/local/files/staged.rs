//! A new file on its way to its name: written as a whole or piece by piece.
//!
//! The file has no name before it is complete. A name that is free is given to it as it is; what exists is replaced by a
//! rename. Owner and mode are only changed where they are not what the new file has anyway.

use std::fs::{File, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rustix::fs::{fchown, fstat};

use super::super::swept::Swept;
use super::change::ids;
use super::held::{Folder, LIST};
use super::reach::Target;
use super::stat::{Outcome, describe};
use super::temporary::Temporary;
use super::unnamed;
use super::walk::trust;
use crate::system::trust::Trust;
use crate::system::{CommitFile, Metadata, Ownership, StagedFile, SystemError, WriteFile};

/// Only its owner can open a file that is not complete.
const UNFINISHED_MODE: u32 = 0o600;

const SET_ID_BITS: u32 = 0o6000;

/// A new file, invisible before it is committed.
struct Staged {
    target: Target,
    place: Place,
    swept: Arc<Swept>,
}

enum Place {
    Unnamed(File, Metadata),
    Temporary(Temporary),
}

/// What the new file is to have.
struct Attributes {
    mode: u32,
    ownership: Ownership,
}

impl Attributes {
    fn of(target: &Target, commit: &CommitFile) -> Outcome<Self> {
        let kept = match &target.existing {
            Some(existing) if trust().is_inherited(&target.folder.metadata()?, existing, commit.inherit) => {
                Some(existing)
            }
            _ => None,
        };
        let (mode, ownership) = Trust::attributes(kept, commit);
        Ok(Self { mode, ownership })
    }
}

impl Staged {
    /// Creates the file, empty, with `mode` less the umask.
    fn create(target: Target, mode: u32, swept: &Arc<Swept>) -> Outcome<Self> {
        let place = match unnamed::create(&target.folder, mode) {
            Some(file) => {
                let created = describe(&fstat(&file)?);
                Place::Unnamed(file, created)
            }
            None => Place::Temporary(Temporary::create(&target.folder, mode, swept)?),
        };
        Ok(Self { target, place, swept: Arc::clone(swept) })
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.place {
            Place::Unnamed(file, _) => file.write_all(bytes),
            Place::Temporary(temporary) => temporary.file().write_all(bytes),
        }
    }

    /// Gives the file its owner, its mode and its name.
    fn commit(self, attributes: &Attributes, commit: CommitFile) -> Outcome<()> {
        let Self { target, place, swept } = self;
        let Target { folder, name, existing } = target;
        let temporary = match place {
            Place::Unnamed(mut file, created) => {
                attributes.give(&file, &created, commit)?;
                if existing.is_none() && unnamed::link(&file, &folder, &name) {
                    return sync(&folder, commit);
                }
                match Temporary::name(file, created, &folder, &swept) {
                    Ok(temporary) => temporary,
                    Err(unnamed) => {
                        file = unnamed;
                        let mut temporary = Temporary::create(&folder, attributes.mode & 0o700, &swept)?;
                        file.rewind()?;
                        io::copy(&mut file, temporary.file())?;
                        let created = temporary.metadata().clone();
                        attributes.give(temporary.file(), &created, commit)?;
                        temporary
                    }
                }
            }
            Place::Temporary(mut temporary) => {
                let created = temporary.metadata().clone();
                attributes.give(temporary.file(), &created, commit)?;
                temporary
            }
        };
        temporary.rename(&name)?;
        sync(&folder, commit)
    }
}

impl Attributes {
    /// Gives a file that was just created all but its name.
    fn give(&self, file: &File, created: &Metadata, commit: CommitFile) -> Outcome<()> {
        let Self { mode, ownership } = *self;
        let change = Ownership {
            uid: ownership.uid.filter(|uid| *uid != created.uid),
            gid: ownership.gid.filter(|gid| *gid != created.gid),
        };
        if change != Ownership::default() {
            let (uid, gid) = ids(change)?;
            fchown(file, uid, gid)?;
        }
        // After the owner, as both a change of that and a write take the set-id bits away.
        if created.mode != mode || mode & SET_ID_BITS != 0 {
            file.set_permissions(Permissions::from_mode(mode))?;
        }
        if let Some(modified) = commit.modified {
            file.set_modified(modified)?;
        }
        if commit.durable {
            file.sync_all()?;
        }
        Ok(())
    }
}

fn sync(folder: &Folder, commit: CommitFile) -> Outcome<()> {
    if commit.durable {
        File::from(folder.reopen(LIST)?).sync_all()?;
    }
    Ok(())
}

/// Writes a whole file. A new one costs `openat2` of its directory, `fstatat`, `openat`, `fstat`, `write`, `linkat` and two
/// `close`.
pub(super) fn write(target: Target, write: WriteFile<'_>, swept: &Arc<Swept>) -> Outcome<()> {
    let WriteFile { content, mode, ownership, inherit, durable } = write;
    let commit = CommitFile { mode, ownership, inherit, modified: None, durable };
    let attributes = Attributes::of(&target, &commit)?;
    // Until the file has its owner, nobody whom that owner would keep out may open it.
    let stays_ours = attributes.ownership == Ownership::default();
    let first = if stays_ours { attributes.mode & !SET_ID_BITS } else { attributes.mode & 0o700 };
    let mut staged = Staged::create(target, first, swept)?;
    staged.write(content)?;
    staged.commit(&attributes, commit)
}

/// Begins to write a file; `path` is what messages name.
pub(super) fn stage(target: Target, path: &Path, swept: &Arc<Swept>) -> Outcome<Named> {
    Ok(Named { staged: Staged::create(target, UNFINISHED_MODE, swept)?, path: path.to_owned() })
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
        let attributes = Attributes::of(&staged.target, &commit);
        let committed = attributes.and_then(|attributes| staged.commit(&attributes, commit));
        committed.map_err(|error| SystemError::file("write", path, error))
    }
}
