//! Staged files: written as a whole or piece by piece, then named.
//!
//! The file has no name until it is complete. An unused name is linked directly; an existing file is replaced
//! by a rename, or overwritten if it is a mount point. Owner and mode are only changed if they differ from
//! those of the new file.

use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{self, Seek as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::sync::Arc;
use std::time::SystemTime;

use rustix::fs::{fchown, fstat};

use super::super::cleaned_folders::{SweptFolders, device};
use super::super::pool::CancelFlag;
use super::super::system_state::Shared;
use super::attribute_changes::ids;
use super::open_file::{Folder, PathHandle};
use super::overwrite::{WRITE, sync};
use super::path_lookup::{Target, changeable, is_mount_point};
use super::path_walk::trust;
use super::stat::{Outcome, describe, expect_file};
use super::temporary_name::Temporary;
use super::{extended_attributes, scratch, unnamed_file};
use crate::trust::Trust;
use crate::{CommitFile, Inherit, Metadata, Ownership, SystemErrorKind};

/// The mode of an incomplete file, which only its owner can open.
pub(super) const UNFINISHED_MODE: u32 = 0o600;

pub(super) const SET_ID_BITS: u32 = 0o6000;

/// A new file, invisible until it is committed.
pub(super) struct Staged {
    target: Target,
    place: Place,
    /// The file system of the file, if it is known.
    device: Option<u64>,
    written: u64,
    /// Whether the content is complete: no write failed or was dropped.
    whole: bool,
    shared: Arc<Shared>,
}

enum Place {
    Unnamed(Arc<File>, Metadata),
    Temporary(Temporary),
    /// The target is a mount point, which cannot be replaced: the content waits in a scratch file.
    Mounted(Arc<File>, Metadata, Option<Final>),
}

/// The attributes of a complete file that is to be written into a mount point.
#[derive(Clone, Copy)]
struct Final {
    attributes: Attributes,
    modified: Option<SystemTime>,
}

/// The final attributes of the new file.
#[derive(Clone, Copy)]
pub(super) struct Attributes {
    pub(super) mode: u32,
    pub(super) ownership: Ownership,
}

/// Returns the existing file from which missing attributes are inherited.
pub(super) fn inherited(target: &Target, inherit: Inherit) -> Outcome<Option<&Metadata>> {
    let Some(existing) = &target.existing else { return Ok(None) };
    let inherited = trust().is_inherited(&target.folder.metadata()?, existing, inherit);
    Ok(inherited.then_some(existing))
}

impl Attributes {
    pub(super) fn from_commit(target: &Target, commit: &CommitFile) -> Outcome<Self> {
        let metadata = inherited(target, commit.inherit)?;
        let (mode, ownership) = Trust::attributes(metadata, commit);
        Ok(Self { mode, ownership })
    }
}

impl Staged {
    /// Creates the empty file with `mode` less the umask.
    pub(super) async fn create(target: Target, mode: u32, shared: &Arc<Shared>) -> Outcome<Self> {
        let mut device_id = None;
        let place = if is_mount_point(&target) {
            let (file, _) = scratch::unnamed().map_err(|error| error.kind)?;
            let created = describe(&fstat(&file)?);
            Place::Mounted(file, created, None)
        } else if let Some(file) = unnamed_file::create(&target.folder, mode) {
            let stat = fstat(&file)?;
            device_id = Some(device(&stat));
            Place::Unnamed(Arc::new(file), describe(&stat))
        } else {
            let (folder, shared_state) = (target.folder.clone(), Arc::clone(shared));
            // A temporary name may require a sweep of the directory, however large.
            let create = move |_: &CancelFlag| Temporary::create(&folder, mode, &shared_state.swept);
            Place::Temporary(shared.pool.run(create).await?)
        };
        Ok(Self { target, place, device: device_id, written: 0, whole: true, shared: Arc::clone(shared) })
    }

    pub(super) async fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.written = self.written.saturating_add(bytes.len() as u64);
        if !std::mem::replace(&mut self.whole, false) {
            return Err(incomplete());
        }
        match self.shared.file_size_limit {
            Some(limit) if self.written > limit => return Err(SystemErrorKind::FileTooLarge(limit)),
            _ => unnamed_file::append(self.file(), self.written, bytes, &self.shared).await?,
        }
        self.whole = true;
        Ok(())
    }

    /// Sets all attributes but the name.
    pub(super) fn complete(&mut self, commit: &CommitFile) -> Outcome<()> {
        if !self.whole {
            return Err(incomplete());
        }
        let attributes = Attributes::from_commit(&self.target, commit)?;
        if let Place::Mounted(_, created, complete) = &mut self.place {
            let Ownership { uid, gid } = attributes.ownership;
            let ownership = Ownership { uid: uid.or(Some(created.uid)), gid: gid.or(Some(created.gid)) };
            let attributes = Attributes { ownership, ..attributes };
            *complete = Some(Final { attributes, modified: commit.modified });
            return Ok(());
        }
        let kept = extended_attributes::kept(&self.target, commit.inherit)?;
        let (file, created) = self.created();
        attributes.own(file, created)?;
        if let (Some(kept), Some(old)) = (&kept, &self.target.existing) {
            let owner = fstat(&**file)?;
            extended_attributes::keep(kept, file, (owner.st_uid, owner.st_gid) == (old.uid, old.gid))?;
        }
        attributes.finish(file, (kept.is_none()).then_some(created.mode), commit.modified)
    }

    /// Whether the target is overwritten, because it is a mount point.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.place, Place::Mounted(..))
    }

    fn created(&self) -> (&Arc<File>, &Metadata) {
        match &self.place {
            Place::Unnamed(file, created) | Place::Mounted(file, created, _) => (file, created),
            Place::Temporary(temporary) => (temporary.file(), temporary.metadata()),
        }
    }

    pub(super) fn file(&self) -> &Arc<File> {
        self.created().0
    }

    /// Returns the number of the file system.
    pub(super) fn device(&self) -> Outcome<u64> {
        self.device.map_or_else(|| Ok(device(&fstat(&**self.file())?)), Ok)
    }

    pub(super) fn folder(&self) -> &Folder {
        &self.target.folder
    }

    /// Gives the complete and flushed file its name.
    ///
    /// The file stays open.
    pub(super) fn give_name(&mut self) -> Outcome<()> {
        let Target { folder, name, existing } = &self.target;
        let Self { place, shared, .. } = self;
        if let Place::Unnamed(file, created) = place {
            if existing.is_none() && unnamed_file::link(file, folder, name) {
                return Ok(());
            }
            let temporary = match Temporary::name(file, created, folder, &shared.swept)? {
                Some(temporary) => temporary,
                None => copy_to_temporary(file, folder, &shared.swept)?,
            };
            *place = Place::Temporary(temporary);
        }
        match place {
            Place::Temporary(temporary) => temporary.rename(name),
            Place::Mounted(content, _, Some(complete)) => overwrite(folder, name, content, *complete),
            Place::Unnamed(..) | Place::Mounted(..) => Ok(()),
        }
    }
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

/// Copies a file that cannot be named to a flushed file with a temporary name.
fn copy_to_temporary(file: &File, folder: &Folder, swept: &SweptFolders) -> Outcome<Temporary> {
    let complete = file.metadata()?;
    let temporary = Temporary::create(folder, complete.mode() & 0o700, swept)?;
    let mut file = file;
    file.rewind()?;
    io::copy(&mut file, &mut &**temporary.file())?;
    std::os::unix::fs::fchown(temporary.file(), Some(complete.uid()), Some(complete.gid()))?;
    extended_attributes::keep(&extended_attributes::of_file(file)?, temporary.file(), true)?;
    temporary.file().set_permissions(complete.permissions())?;
    temporary.file().set_modified(complete.modified()?)?;
    temporary.file().sync_all()?;
    Ok(temporary)
}

/// Writes a complete file into one that is a mount point, and waits until it is on disk.
fn overwrite(folder: &Folder, name: &OsStr, mut content: &File, complete: Final) -> Outcome<()> {
    let Final { attributes, modified } = complete;
    let target = PathHandle::new(folder.open(name, WRITE)?)?;
    expect_file(target.metadata.kind)?;
    changeable(&folder.metadata()?, &target.metadata)?;
    let (file, old) = (File::from(target.fd), target.metadata);
    // Whoever may not read the new content must not read a part of it.
    attributes.own(&file, &old)?;
    attributes.finish(&file, Some(old.mode), None)?;
    content.rewind()?;
    let len = io::copy(&mut content, &mut &file)?;
    file.set_len(len)?;
    attributes.finish(&file, None, modified)?;
    sync(&file)
}

impl Attributes {
    /// Sets the owner and group of a file that has those of `current`.
    fn own(&self, file: &File, current: &Metadata) -> Outcome<()> {
        let change = Ownership {
            uid: self.ownership.uid.filter(|uid| *uid != current.uid),
            gid: self.ownership.gid.filter(|gid| *gid != current.gid),
        };
        if change != Ownership::default() {
            let (uid, gid) = ids(change)?;
            fchown(file, uid, gid)?;
        }
        Ok(())
    }

    /// Sets the mode, unless it is known to be `current`, and the time.
    fn finish(&self, file: &File, current: Option<u32>, modified: Option<SystemTime>) -> Outcome<()> {
        // The mode is set after the owner, because changing the owner and writing both clear the set-id bits.
        if current != Some(self.mode) || self.mode & SET_ID_BITS != 0 {
            file.set_permissions(Permissions::from_mode(self.mode))?;
        }
        if let Some(modified) = modified {
            file.set_modified(modified)?;
        }
        Ok(())
    }
}
