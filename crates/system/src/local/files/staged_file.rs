//! A new file on its way to its name: written as a whole or piece by piece.
//!
//! The file has no name before it is complete. A name that is free is given to it as it is; what exists is replaced by a
//! rename. Owner and mode are only changed where they are not what the new file has anyway.

use std::fs::{File, Permissions};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Arc;

use rustix::fs::{fchown, fstat};

use super::super::cleaned_folders::Swept;
use super::super::pool::{PIECE, Wanted};
use super::super::system_state::Shared;
use super::attribute_changes::ids;
use super::open_file::Folder;
use super::path_lookup::Target;
use super::path_walk::trust;
use super::stat::{Outcome, describe};
use super::temporary_name::Temporary;
use super::unnamed_file;
use crate::trust::Trust;
use crate::{CommitFile, Inherit, Metadata, Ownership, SystemErrorKind};

/// Only its owner can open a file that is not complete.
pub(super) const UNFINISHED_MODE: u32 = 0o600;

pub(super) const SET_ID_BITS: u32 = 0o6000;

/// A new file, invisible before it is committed.
pub(super) struct Staged {
    target: Target,
    place: Place,
    written: u64,
    /// Whether all that was to be written is in it: no write of it failed, and none was given up.
    whole: bool,
    shared: Arc<Shared>,
}

enum Place {
    Unnamed(Arc<File>, Metadata),
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
    pub(super) async fn create(target: Target, mode: u32, shared: &Arc<Shared>) -> Outcome<Self> {
        let place = if let Some(file) = unnamed_file::create(&target.folder, mode) {
            let created = describe(&fstat(&file)?);
            Place::Unnamed(Arc::new(file), created)
        } else {
            let (folder, kept) = (target.folder.clone(), Arc::clone(shared));
            // The directory, however large, may have to be looked through first.
            let create = move |_: &Wanted| Temporary::create(&folder, mode, &kept.swept);
            Place::Temporary(shared.pool.run(create).await?)
        };
        Ok(Self { target, place, written: 0, whole: true, shared: Arc::clone(shared) })
    }

    /// Adds bytes at its end.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.written = self.written.saturating_add(bytes.len() as u64);
        if !std::mem::replace(&mut self.whole, false) {
            return Err(incomplete());
        }
        match self.shared.file_size_limit {
            Some(limit) if self.written > limit => return Err(SystemErrorKind::FileTooLarge(limit)),
            _ => append(self.file(), self.written, bytes, &self.shared).await?,
        }
        self.whole = true;
        Ok(())
    }

    /// Gives the file all but its name.
    pub(super) fn complete(&mut self, commit: &CommitFile) -> Outcome<()> {
        if !self.whole {
            return Err(incomplete());
        }
        let attributes = Attributes::of(&self.target, commit)?;
        let (file, created) = self.created();
        attributes.give(file, created, commit)
    }

    fn created(&self) -> (&Arc<File>, &Metadata) {
        match &self.place {
            Place::Unnamed(file, created) => (file, created),
            Place::Temporary(temporary) => (temporary.file(), temporary.metadata()),
        }
    }

    pub(super) fn file(&self) -> &Arc<File> {
        self.created().0
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.target.folder
    }

    /// Gives the file, which is complete and has reached the disk, its name. It stays open.
    pub(super) fn give_name(&mut self) -> Outcome<()> {
        let Target { folder, name, existing } = &self.target;
        let Self { place, shared, .. } = self;
        if let Place::Unnamed(file, created) = place {
            if existing.is_none() && unnamed_file::link(file, folder, name) {
                return Ok(());
            }
            let temporary = match Temporary::name(file, created, folder, &shared.swept)? {
                Some(temporary) => temporary,
                None => copied(file, folder, &shared.swept)?,
            };
            *place = Place::Temporary(temporary);
        }
        match place {
            Place::Temporary(temporary) => temporary.rename(name),
            Place::Unnamed(..) => Ok(()),
        }
    }
}

/// Adds bytes at the end of a file that will then have `len` of them.
pub(super) async fn append(file: &Arc<File>, len: u64, bytes: &[u8], shared: &Shared) -> Outcome<()> {
    if !shared.pool.is_large(len) {
        return Ok((&**file).write_all(bytes)?);
    }
    for piece in bytes.chunks(PIECE) {
        let (file, piece) = (Arc::clone(file), piece.to_vec());
        shared.pool.run(move |_| Ok((&*file).write_all(&piece)?)).await?;
    }
    Ok(())
}

fn incomplete() -> SystemErrorKind {
    SystemErrorKind::Other("a part of it was not written".to_owned())
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.shared.pool.is_large(self.written) {
            self.shared.pool.close(Arc::clone(self.file()));
        }
    }
}

/// A copy, with a name, of a file that cannot get one. It has reached the disk as well.
fn copied(file: &File, folder: &Folder, swept: &Swept) -> Outcome<Temporary> {
    let complete = file.metadata()?;
    let temporary = Temporary::create(folder, complete.mode() & 0o700, swept)?;
    let mut file = file;
    file.rewind()?;
    io::copy(&mut file, &mut &**temporary.file())?;
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
