//! File operations on Windows, by path.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::super::LocalSystem;
use super::directory::PathDirectory;
use super::paths::{self, OpenFile, look, set_mode, set_ownership, there};
use super::staged::{Scratch, Staged, Target};
use super::temp_dir::PathTempDir;
use crate::{
    CommitFile, DirEntry, Directory, ExtendedAttribute, FileContent, Files, Follow, Inherit, Inode, Metadata,
    Ownership, ReadAt, ScratchFile, StagedFile, SystemError, SystemErrorKind, TempDir, WriteFile,
};

#[async_trait]
impl Files for LocalSystem {
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        let found = there(look(&self.shared.place.absolute(path), follow));
        found.map_err(|kind| SystemError::file("look at", path, kind))
    }

    async fn read_head(&self, path: &Path, most: u64) -> Result<Option<FileContent>, SystemError> {
        let failed = |kind| SystemError::file("read", path, kind);
        let at = self.shared.place.absolute(path).into_owned();
        match there(OpenFile::open(&at, Follow::Links, &self.shared)).map_err(failed)? {
            Some(opened) => opened.content(most).await.map(Some).map_err(failed),
            None => Ok(None),
        }
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let opened = there(OpenFile::open(&self.shared.place.absolute(path), Follow::Links, &self.shared));
        let opened = opened.map_err(|kind| SystemError::file("read", path, kind))?;
        Ok(opened.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
        let WriteFile { content, mode, ownership, inherit } = write;
        let mut staged = self.stage(path).await?;
        staged.write(content).await?;
        staged.commit(CommitFile { mode, ownership, inherit, modified: None }).await
    }

    async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError> {
        let written = paths::write_in_place(&self.shared.place.absolute(path), content, &self.shared).await;
        written.map_err(|kind| SystemError::file("write into", path, kind))
    }

    async fn inherited(&self, path: &Path, _inherit: Inherit) -> Result<Option<Metadata>, SystemError> {
        let target = Target::from_path(&self.shared.place.absolute(path));
        Ok(target.map_err(|kind| SystemError::file("look at", path, kind))?.existing)
    }

    async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError> {
        let target = Target::from_path(&self.shared.place.absolute(path));
        let staged = target.and_then(|target| Staged::new(target, path, &self.shared));
        Ok(Box::new(staged.map_err(|kind| SystemError::file("write", path, kind))?))
    }

    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError> {
        Ok(Box::new(Scratch::new(&self.shared)?))
    }

    async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError> {
        Ok(Box::new(PathTempDir::new(self.shared.clone())?))
    }

    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        let created = paths::create_dir(&self.shared.place.absolute(path), mode);
        created.map_err(|kind| SystemError::file("create the directory", path, kind))
    }

    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError> {
        // NTFS keeps directory entries in its journal, for which there is no flush.
        let found = look(&self.shared.place.absolute(path), Follow::Links);
        found.map(|_| ()).map_err(|kind| SystemError::file("write to disk", path, kind))
    }

    async fn flush(&self, _paths: &[&Path]) -> Result<(), SystemError> {
        // Nothing to do, as in `sync_dir`: files reach the disk before they get their names.
        Ok(())
    }

    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        match PathDirectory::open(path, &self.shared.place.absolute(path), &self.shared) {
            Ok(opened) => Ok(Some(Box::new(opened))),
            Err(SystemErrorKind::NotFound) => Ok(None),
            Err(kind) => Err(SystemError::file("list", path, kind)),
        }
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        let listed = paths::entries(&self.shared.place.absolute(path));
        let entries = listed.map_err(|kind| SystemError::file("list", path, kind))?;
        Ok(entries
            .into_iter()
            .map(|entry| DirEntry { path: path.join(entry.name), kind: entry.kind })
            .collect())
    }

    async fn set_mode(&self, path: &Path, _mode: u32) -> Result<(), SystemError> {
        Err(SystemError::file("change the mode of", path, set_mode()))
    }

    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        _follow: Follow,
    ) -> Result<(), SystemError> {
        set_ownership(ownership).map_err(|kind| SystemError::file("change the owner of", path, kind))
    }

    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError> {
        let found = look(&self.shared.place.absolute(path), follow);
        found.map(|_| ()).map_err(|kind| SystemError::file("change", path, kind))
    }

    async fn extended_attributes(
        &self,
        path: &Path,
        follow: Follow,
    ) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        let found = there(look(&self.shared.place.absolute(path), follow));
        let found = found.map_err(|kind| SystemError::file("read the attributes of", path, kind))?;
        Ok(found.map(|_| Vec::new()))
    }

    async fn set_extended_attribute(
        &self,
        path: &Path,
        _name: &str,
        _value: &[u8],
    ) -> Result<(), SystemError> {
        Err(SystemError::file("change the attributes of", path, paths::extended_attribute()))
    }

    async fn remove_extended_attribute(&self, path: &Path, _name: &str) -> Result<(), SystemError> {
        Err(SystemError::file("change the attributes of", path, paths::extended_attribute()))
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        let target = there(paths::read_link(&self.shared.place.absolute(path)));
        target.map_err(|kind| SystemError::file("read the link", path, kind))
    }

    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError> {
        let created = paths::symlink(target, &self.shared.place.absolute(path));
        created.map_err(|kind| SystemError::file("create the link", path, kind))
    }

    async fn inode(&self, path: &Path, _follow: Follow) -> Result<Option<Inode>, SystemError> {
        Err(SystemError::file("look at", path, paths::inode()))
    }

    async fn hard_link(&self, _existing: &Path, path: &Path) -> Result<(), SystemError> {
        Err(SystemError::file("create the hard link", path, paths::hard_link()))
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError> {
        let place = &self.shared.place;
        let renamed = paths::rename(&place.absolute(from), &place.absolute(to));
        renamed.map_err(|kind| SystemError::file("rename", from, kind))
    }

    async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
        let removed = paths::remove_file(&self.shared.place.absolute(path));
        removed.map_err(|kind| SystemError::file("remove", path, kind))
    }

    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError> {
        let removed = paths::remove_dir(&self.shared.place.absolute(path));
        removed.map_err(|kind| SystemError::file("remove the directory", path, kind))
    }
}
