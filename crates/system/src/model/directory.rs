//! Open directories of the model host.
//!
//! A directory stays the same when it is moved.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::Shared;
use super::file_operations::{ModelStaged, entries, open, set_mode};
use super::tree::Identity;
use crate::names::entry_name;
use crate::{
    Directory, ExtendedAttribute, Files as _, Follow, Inode, Metadata, NamedEntry, Ownership, ReadAt,
    StagedFile, SystemError, SystemErrorKind,
};

pub(super) struct ModelDirectory {
    host: Shared,
    identity: Identity,
    /// The link-free path at the time of opening.
    opened: PathBuf,
    shown: PathBuf,
}

impl ModelDirectory {
    /// Opens a directory; `shown` is its path in messages.
    pub(super) fn open(
        host: &Shared,
        path: &Path,
        last: Follow,
        shown: &Path,
    ) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let directory = host.look("list", shown, |machine| match machine.tree.walk(path, last) {
            Err(SystemErrorKind::NotFound) | Ok((_, None)) => Ok(None),
            Ok((opened, Some(node))) if node.is_dir() => Ok(Some((node.identity, opened))),
            Ok(_) => Err(SystemErrorKind::NotADirectory),
            Err(kind) => Err(kind),
        })?;
        Ok(directory.map(|(identity, opened)| {
            Box::new(Self { host: host.clone(), identity, opened, shown: shown.to_owned() })
                as Box<dyn Directory>
        }))
    }

    /// Returns the current link-free path.
    fn here(&self, operation: &'static str) -> Result<PathBuf, SystemError> {
        self.host.look(operation, &self.shown, |machine| {
            machine.tree.place(self.identity, &self.opened).ok_or(SystemErrorKind::NotFound)
        })
    }

    /// Returns the path of an entry for a query; `None` if the directory itself is gone.
    fn find(&self, operation: &'static str, name: &OsStr) -> Result<Option<PathBuf>, SystemError> {
        self.host.look(operation, &self.shown.join(name), |machine| {
            let name = entry_name(name)?;
            Ok(machine.tree.place(self.identity, &self.opened).map(|folder| folder.join(name)))
        })
    }

    fn entry_path(&self, operation: &'static str, name: &OsStr) -> Result<PathBuf, SystemError> {
        let not_found = || SystemError::file(operation, self.shown.join(name), SystemErrorKind::NotFound);
        self.find(operation, name)?.ok_or_else(not_found)
    }

    /// Replaces the path in an error by the path for messages.
    fn with_shown_path<T>(&self, name: &OsStr, result: Result<T, SystemError>) -> Result<T, SystemError> {
        result.map_err(|error| SystemError { path: Some(self.shown.join(name)), ..error })
    }
}

#[async_trait]
impl Directory for ModelDirectory {
    fn path(&self) -> &Path {
        &self.shown
    }

    async fn own_metadata(&self) -> Result<Metadata, SystemError> {
        self.host.turn().await;
        let folder = self.here("look at")?;
        self.host.look("look at", &self.shown, |machine| {
            Ok(machine.tree.find(&folder, Follow::Never)?.1.metadata())
        })
    }

    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> {
        self.host.turn().await;
        self.host.look("list", &self.shown, |machine| match machine.tree.place(self.identity, &self.opened) {
            Some(folder) => entries(&machine.tree, &folder),
            None => Ok(Vec::new()),
        })
    }

    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError> {
        let Some(path) = self.find("look at", name)? else { return Ok(None) };
        self.with_shown_path(name, self.host.metadata(&path, Follow::Never).await)
    }

    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError> {
        self.host.turn().await;
        let Some(path) = self.find("list", name)? else { return Ok(None) };
        Self::open(&self.host, &path, Follow::Never, &self.shown.join(name))
    }

    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        self.host.turn().await;
        if path.as_os_str().is_empty() {
            return Ok(None);
        }
        let folder = self.here("list")?;
        let display_path = self.shown.join(path);
        let target = self.host.look("list", &display_path, |machine| {
            match machine.tree.walk(&folder.join(path), Follow::Links) {
                Err(SystemErrorKind::NotFound) | Ok((_, None)) => Ok(None),
                Ok((_, Some(node))) if !node.is_dir() => Err(SystemErrorKind::NotADirectory),
                Ok((real, Some(_))) => {
                    let relative = real.strip_prefix(&folder).map_err(|_| SystemErrorKind::Outside)?;
                    Ok(Some(relative.iter().fold(self.shown.clone(), |path, name| path.join(name))))
                }
                Err(kind) => Err(kind),
            }
        })?;
        let Some(target) = target else { return Ok(None) };
        let real_path =
            target.strip_prefix(&self.shown).map_or_else(|_| folder.clone(), |names| folder.join(names));
        Self::open(&self.host, &real_path, Follow::Never, &target)
    }

    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        self.host.turn().await;
        let Some(path) = self.find("read", name)? else { return Ok(None) };
        let opened = self
            .host
            .look("read", &self.shown.join(name), |machine| open(&machine.tree, &path, Follow::Never))?;
        Ok(opened.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError> {
        let Some(path) = self.find("read the link", name)? else { return Ok(None) };
        self.with_shown_path(name, self.host.read_link(&path).await)
    }

    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError> {
        self.host.turn().await;
        let staged = ModelStaged::new(&self.host, &self.entry_path("write", name)?, Follow::Never);
        Ok(Box::new(self.with_shown_path(name, staged)?))
    }

    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.with_shown_path(
            name,
            self.host.create_dir(&self.entry_path("create the directory", name)?, mode).await,
        )
    }

    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.with_shown_path(
            name,
            self.host.symlink(target, &self.entry_path("create the link", name)?).await,
        )
    }

    async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError> {
        let Some(path) = self.find("look at", name)? else { return Ok(None) };
        self.with_shown_path(name, self.host.inode(&path, Follow::Never).await)
    }

    async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.with_shown_path(
            name,
            self.host.hard_link(existing, &self.entry_path("create the hard link", name)?).await,
        )
    }

    async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.host.turn().await;
        let path = self.entry_path("change the mode of", name)?;
        self.with_shown_path(name, set_mode(&self.host, &path, mode, Follow::Never))
    }

    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError> {
        let path = self.entry_path("change the owner of", name)?;
        self.with_shown_path(name, self.host.set_ownership(&path, ownership, Follow::Never).await)
    }

    async fn may_change(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with_shown_path(
            name,
            self.host.may_change(&self.entry_path("change", name)?, Follow::Never).await,
        )
    }

    async fn extended_attributes(&self, name: &OsStr) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        let Some(path) = self.find("read the attributes of", name)? else { return Ok(None) };
        self.with_shown_path(name, self.host.extended_attributes(&path, Follow::Never).await)
    }

    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError> {
        // An invalid target name is reported first.
        self.find("rename", to)?;
        let (old, new) = (self.entry_path("rename", from)?, self.entry_path("rename", to)?);
        self.with_shown_path(from, self.host.rename(&old, &new).await)
    }

    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with_shown_path(name, self.host.remove_file(&self.entry_path("remove", name)?).await)
    }

    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with_shown_path(
            name,
            self.host.remove_dir(&self.entry_path("remove the directory", name)?).await,
        )
    }

    async fn sync(&self) -> Result<(), SystemError> {
        self.host.sync_dir(&self.here("write to disk")?).await
    }
}
