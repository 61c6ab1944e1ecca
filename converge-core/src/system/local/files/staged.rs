//! A new file on its way to its name: written as a whole or piece by piece.
//!
//! The file has no name before it is complete. A name that is free is given to it as it is; what exists is replaced by a
//! rename. Owner and mode are only changed where they are not what the new file has anyway.

use std::fs::{File, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Arc;

use rustix::fs::{fchown, fstat};

use super::super::swept::Swept;
use super::change::ids;
use super::held::Folder;
use super::reach::Target;
use super::stat::{Outcome, describe};
use super::temporary::Temporary;
use super::unnamed;
use super::walk::trust;
use crate::system::trust::Trust;
use crate::system::{CommitFile, Inherit, Metadata, Ownership};

/// Only its owner can open a file that is not complete.
pub(super) const UNFINISHED_MODE: u32 = 0o600;

pub(super) const SET_ID_BITS: u32 = 0o6000;

/// A new file, invisible before it is committed.
pub(super) struct Staged {
    target: Target,
    place: Place,
    swept: Arc<Swept>,
}

enum Place {
    Unnamed(File, Metadata),
    Temporary(Temporary),
}

/// What the new file is to have.
pub(super) struct Attributes {
    pub(super) mode: u32,
    pub(super) ownership: Ownership,
}

/// What a new file takes over what is not given from.
pub(super) fn kept(target: &Target, inherit: Inherit) -> Outcome<Option<&Metadata>> {
    let Some(existing) = &target.existing else { return Ok(None) };
    let inherited = trust().is_inherited(&target.folder.metadata()?, existing, inherit);
    Ok(inherited.then_some(existing))
}

impl Attributes {
    pub(super) fn of(target: &Target, commit: &CommitFile) -> Outcome<Self> {
        let kept = kept(target, commit.inherit)?;
        let (mode, ownership) = Trust::attributes(kept, commit);
        Ok(Self { mode, ownership })
    }
}

impl Staged {
    /// Creates the file, empty, with `mode` less the umask.
    pub(super) fn create(target: Target, mode: u32, swept: &Arc<Swept>) -> Outcome<Self> {
        let place = match unnamed::create(&target.folder, mode) {
            Some(file) => {
                let created = describe(&fstat(&file)?);
                Place::Unnamed(file, created)
            }
            None => Place::Temporary(Temporary::create(&target.folder, mode, swept)?),
        };
        Ok(Self { target, place, swept: Arc::clone(swept) })
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.place {
            Place::Unnamed(file, _) => file.write_all(bytes),
            Place::Temporary(temporary) => temporary.file().write_all(bytes),
        }
    }

    /// Gives the file all but its name.
    pub(super) fn complete(&mut self, commit: &CommitFile) -> Outcome<()> {
        let attributes = Attributes::of(&self.target, commit)?;
        let (file, created) = self.created();
        attributes.give(file, created, commit)
    }

    fn created(&self) -> (&File, &Metadata) {
        match &self.place {
            Place::Unnamed(file, created) => (file, created),
            Place::Temporary(temporary) => (temporary.file(), temporary.metadata()),
        }
    }

    pub(super) fn file(&self) -> &File {
        self.created().0
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.target.folder
    }

    /// Gives the file, which is complete and has reached the disk, its name. It stays open.
    pub(super) fn give_name(&mut self) -> Outcome<()> {
        let Target { folder, name, existing } = &self.target;
        let Self { place, swept, .. } = self;
        if let Place::Unnamed(file, created) = place {
            if existing.is_none() && unnamed::link(file, folder, name) {
                return Ok(());
            }
            let temporary = match Temporary::name(file, created, folder, swept)? {
                Some(temporary) => temporary,
                None => copied(file, folder, swept)?,
            };
            *place = Place::Temporary(temporary);
        }
        match place {
            Place::Temporary(temporary) => temporary.rename(name),
            Place::Unnamed(..) => Ok(()),
        }
    }
}

/// A copy, with a name, of a file that cannot get one. It has reached the disk as well.
fn copied(file: &mut File, folder: &Folder, swept: &Swept) -> Outcome<Temporary> {
    let complete = file.metadata()?;
    let temporary = Temporary::create(folder, complete.mode() & 0o700, swept)?;
    file.rewind()?;
    io::copy(file, &mut temporary.file())?;
    std::os::unix::fs::fchown(temporary.file(), Some(complete.uid()), Some(complete.gid()))?;
    temporary.file().set_permissions(complete.permissions())?;
    temporary.file().set_modified(complete.modified()?)?;
    temporary.file().sync_all()?;
    Ok(temporary)
}

impl Attributes {
    /// Gives a file that was just created all but its name.
    fn give(&self, file: &File, created: &Metadata, commit: &CommitFile) -> Outcome<()> {
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
        Ok(())
    }
}
