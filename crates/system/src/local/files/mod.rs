//! The local file operations, based on descriptors: a path is resolved once, and the result is used.

mod attribute_changes;
mod commit;
mod directory;
mod extended_attributes;
mod hard_link;
mod list;
mod open_file;
mod overwrite;
pub(super) mod path_lookup;
mod path_walk;
mod read;
mod scratch;
mod staged_file;
mod stat;
mod temp_dir;
mod temporary_name;
#[cfg(test)]
mod tests;
mod unnamed_file;
mod write;

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rustix::fs::{AtFlags, renameat, symlinkat, unlinkat};

use super::LocalSystem;
use crate::{
    CommitFile, DirEntry, Directory, ExtendedAttribute, FileContent, FileKind, Files, Follow, Inherit, Inode,
    Metadata, Ownership, ReadAt, ScratchFile, StagedFile, SystemError, SystemErrorKind, TempDir, WriteFile,
};
use directory::OpenDirectory;
use open_file::{HOLD, LIST};
use stat::{Outcome, there};

#[async_trait]
impl Files for LocalSystem {
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        let found = there(path_lookup::hold(&self.shared.place, path, follow))
            .map_err(|kind| SystemError::file("look at", path, kind))?;
        Ok(found.map(|held| held.metadata))
    }

    async fn read_head(&self, path: &Path, most: u64) -> Result<Option<FileContent>, SystemError> {
        read::read(path, most, &self.shared).await
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        Ok(read::open(path, &self.shared)?.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
        let written = match path_lookup::target(&self.shared.place, path) {
            Ok(target) => write::write(target, write, &self.shared).await,
            Err(kind) => Err(kind),
        };
        written.map_err(|kind| SystemError::file("write", path, kind))
    }

    async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError> {
        let written = overwrite::write(path, content, &self.shared).await;
        written.map_err(|kind| SystemError::file("write into", path, kind))
    }

    async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError> {
        let found = path_lookup::target(&self.shared.place, path)
            .and_then(|target| Ok(staged_file::inherited(&target, inherit)?.cloned()));
        found.map_err(|kind| SystemError::file("look at", path, kind))
    }

    async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError> {
        let staged = match path_lookup::target(&self.shared.place, path) {
            Ok(target) => write::stage(target, path, &self.shared).await,
            Err(kind) => Err(kind),
        };
        Ok(Box::new(staged.map_err(|kind| SystemError::file("write", path, kind))?))
    }

    async fn commit_all(
        &self,
        staged: Vec<(Box<dyn StagedFile>, CommitFile)>,
    ) -> Vec<Result<(), SystemError>> {
        write::commit_all(staged, &self.shared).await
    }

    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError> {
        Ok(Box::new(scratch::create(&self.shared)?))
    }

    async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError> {
        temp_dir::create(&self.shared, &self.programs)
    }

    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        let create = || {
            let (folder, name) = path_lookup::parent_for_new(&self.shared.place, path)?;
            attribute_changes::create_dir(&folder, name, mode)
        };
        create().map_err(|kind| SystemError::file("create the directory", path, kind))
    }

    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError> {
        let synced = match path_lookup::open_folder(&self.shared.place, path, LIST) {
            Ok(folder) => self.shared.pool.run(move |_| commit::names(&File::from(folder))).await,
            Err(kind) => Err(kind),
        };
        synced.map_err(|kind| SystemError::file("write to disk", path, kind))
    }

    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        match path_lookup::open_folder(&self.shared.place, path, HOLD) {
            Ok(fd) => Ok(Some(Box::new(OpenDirectory::new(fd.into(), path, &self.shared)))),
            Err(SystemErrorKind::NotFound) => Ok(None),
            Err(kind) => Err(SystemError::file("list", path, kind)),
        }
    }

    async fn flush(&self, paths: &[&Path]) -> Result<(), SystemError> {
        let file_systems = commit::file_systems(&self.shared.place, paths)?;
        let flushed = self.shared.pool.run(move |_| file_systems.flush()).await;
        flushed.map_err(|kind| SystemError::other("write to disk", "what was changed", kind))
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        let listed = match path_lookup::open_folder(&self.shared.place, path, LIST) {
            Ok(opened) => list::entries(opened, &self.shared).await,
            Err(kind) => Err(kind),
        };
        let entries = listed.map_err(|kind| SystemError::file("list", path, kind))?;
        Ok(entries
            .into_iter()
            .map(|entry| DirEntry { path: path.join(entry.name), kind: entry.kind })
            .collect())
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        let held = path_lookup::hold_for_change(&self.shared.place, path, Follow::Links);
        let changed = held.and_then(|held| attribute_changes::set_mode(&held, mode));
        changed.map_err(|kind| SystemError::file("change the mode of", path, kind))
    }

    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError> {
        let held = path_lookup::hold_for_change(&self.shared.place, path, follow);
        let changed = held.and_then(|held| attribute_changes::set_ownership(&held, ownership));
        changed.map_err(|kind| SystemError::file("change the owner of", path, kind))
    }

    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError> {
        let held = path_lookup::hold_for_change(&self.shared.place, path, follow);
        held.map(|_| ()).map_err(|kind| SystemError::file("change", path, kind))
    }

    async fn extended_attributes(
        &self,
        path: &Path,
        follow: Follow,
    ) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        let read = || extended_attributes::read(&path_lookup::hold(&self.shared.place, path, follow)?);
        there(read()).map_err(|kind| SystemError::file("read the attributes of", path, kind))
    }

    async fn set_extended_attribute(&self, path: &Path, name: &str, value: &[u8]) -> Result<(), SystemError> {
        let held = path_lookup::hold_for_change(&self.shared.place, path, Follow::Links);
        let set = held.and_then(|held| extended_attributes::set_on(&held, name, value));
        set.map_err(|kind| SystemError::file("change the attributes of", path, kind))
    }

    async fn remove_extended_attribute(&self, path: &Path, name: &str) -> Result<(), SystemError> {
        let held = path_lookup::hold_for_change(&self.shared.place, path, Follow::Links);
        let removed = held.and_then(|held| extended_attributes::remove_from(&held, name));
        removed.map_err(|kind| SystemError::file("change the attributes of", path, kind))
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        let read = || -> Outcome<Vec<u8>> {
            let held = path_lookup::hold(&self.shared.place, path, Follow::Never)?;
            if held.metadata.kind != FileKind::Symlink {
                return Err(SystemErrorKind::InvalidPath);
            }
            held.target()
        };
        let target = there(read()).map_err(|kind| SystemError::file("read the link", path, kind))?;
        Ok(target.map(|target| OsString::from_vec(target).into()))
    }

    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError> {
        let create = || -> Outcome<()> {
            let (folder, name) = path_lookup::parent_for_new(&self.shared.place, path)?;
            Ok(symlinkat(target, &folder, name)?)
        };
        create().map_err(|kind| SystemError::file("create the link", path, kind))
    }

    async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError> {
        let found = there(path_lookup::hold(&self.shared.place, path, follow))
            .map_err(|kind| SystemError::file("look at", path, kind))?;
        Ok(found.map(|held| held.inode()))
    }

    async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError> {
        let create = || -> Outcome<()> {
            let file = hard_link::hold(&self.shared.place, existing)?;
            let (folder, name) = path_lookup::parent_for_new(&self.shared.place, path)?;
            hard_link::link(&file, &folder, name)
        };
        create().map_err(|kind| SystemError::file("create the hard link", path, kind))
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError> {
        let rename = || -> Outcome<()> {
            let (old_folder, old_name) = path_lookup::parent(&self.shared.place, from)?;
            let (new_folder, new_name) = path_lookup::parent_for_new(&self.shared.place, to)?;
            Ok(renameat(&old_folder, old_name, &new_folder, new_name)?)
        };
        rename().map_err(|kind| SystemError::file("rename", from, kind))
    }

    async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
        let removed = match path_lookup::parent(&self.shared.place, path) {
            Ok((folder, name)) => attribute_changes::remove_file(folder, name, &self.shared).await,
            Err(kind) => Err(kind),
        };
        removed.map_err(|kind| SystemError::file("remove", path, kind))
    }

    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError> {
        let remove = || -> Outcome<()> {
            let (folder, name) = path_lookup::parent(&self.shared.place, path)?;
            Ok(unlinkat(&folder, name, AtFlags::REMOVEDIR)?)
        };
        remove().map_err(|kind| SystemError::file("remove the directory", path, kind))
    }
}
