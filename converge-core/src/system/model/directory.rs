//! A directory of the model that is open: its path without links, which nobody changes behind its back.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::Shared;
use super::work::{ModelStaged, entries, open, set_mode};
use crate::system::names::entry_name;
use crate::system::{
    Directory, Files as _, Follow, Metadata, NamedEntry, Ownership, ReadAt, StagedFile, SystemError,
    SystemErrorKind,
};

pub(super) struct ModelDirectory {
    host: Shared,
    /// Without links.
    real: PathBuf,
    shown: PathBuf,
}

impl ModelDirectory {
    /// Opens a directory, which messages call `shown`.
    pub(super) fn open(
        host: &Shared,
        path: &Path,
        last: Follow,
        shown: &Path,
    ) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let real = host.look("list", shown, |machine| match machine.tree.walk(path, last)? {
            (_, None) => Ok(None),
            (real, Some(node)) if node.is_dir() => Ok(Some(real)),
            _ => Err(SystemErrorKind::NotADirectory),
        });
        let real = match real {
            Err(error) if error.kind == SystemErrorKind::NotFound => None,
            real => real?,
        };
        Ok(real.map(|real| {
            Box::new(Self { host: host.clone(), real, shown: shown.to_owned() }) as Box<dyn Directory>
        }))
    }

    /// The path of an entry.
    fn at(&self, operation: &'static str, name: &OsStr) -> Result<PathBuf, SystemError> {
        let name =
            entry_name(name).map_err(|kind| SystemError::file(operation, self.shown.join(name), kind))?;
        Ok(self.real.join(name))
    }

    /// The same error with the path that messages name.
    fn told<T>(&self, name: &OsStr, done: Result<T, SystemError>) -> Result<T, SystemError> {
        done.map_err(|error| SystemError { path: Some(self.shown.join(name)), ..error })
    }
}

#[async_trait]
impl Directory for ModelDirectory {
    fn path(&self) -> &Path {
        &self.shown
    }

    async fn own_metadata(&self) -> Result<Metadata, SystemError> {
        self.host.look("look at", &self.shown, |machine| {
            Ok(machine.tree.find(&self.real, Follow::Never)?.1.metadata())
        })
    }

    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> {
        self.host.look("list", &self.shown, |machine| entries(&machine.tree, &self.real))
    }

    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError> {
        self.told(name, self.host.metadata(&self.at("look at", name)?, Follow::Never).await)
    }

    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError> {
        Self::open(&self.host, &self.at("list", name)?, Follow::Never, &self.shown.join(name))
    }

    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let at = self.real.join(path);
        let shown = self.shown.join(path);
        let found =
            self.host.look("list", &shown, |machine| match machine.tree.walk(&at, Follow::Links) {
                // No path at all leads nowhere.
                _ if path.as_os_str().is_empty() => Ok(None),
                Err(SystemErrorKind::NotFound) | Ok((_, None)) => Ok(None),
                Ok((_, Some(node))) if !node.is_dir() => Err(SystemErrorKind::NotADirectory),
                Ok((real, Some(_))) => Ok(Some(real)),
                Err(kind) => Err(kind),
            })?;
        let Some(real) = found else { return Ok(None) };
        let Ok(below) = real.strip_prefix(&self.real) else {
            return Err(SystemError::file("list", shown, SystemErrorKind::Outside));
        };
        let shown = below.iter().fold(self.shown.clone(), |path, name| path.join(name));
        Ok(Some(Box::new(Self { host: self.host.clone(), real, shown })))
    }

    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let at = self.at("read", name)?;
        let opened = self
            .host
            .look("read", &self.shown.join(name), |machine| open(&machine.tree, &at, Follow::Never))?;
        Ok(opened.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError> {
        self.told(name, self.host.read_link(&self.at("read the link", name)?).await)
    }

    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError> {
        let staged = ModelStaged::new(&self.host, &self.at("write", name)?, Follow::Never);
        Ok(Box::new(self.told(name, staged)?))
    }

    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.told(name, self.host.create_dir(&self.at("create the directory", name)?, mode).await)
    }

    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.told(name, self.host.symlink(target, &self.at("create the link", name)?).await)
    }

    async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        let at = self.at("change the mode of", name)?;
        self.told(name, set_mode(&self.host, &at, mode, Follow::Never))
    }

    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError> {
        let at = self.at("change the owner of", name)?;
        self.told(name, self.host.set_ownership(&at, ownership, Follow::Never).await)
    }

    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError> {
        let (old, new) = (self.at("rename", from)?, self.at("rename", to)?);
        self.told(from, self.host.rename(&old, &new).await)
    }

    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError> {
        self.told(name, self.host.remove_file(&self.at("remove", name)?).await)
    }

    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError> {
        self.told(name, self.host.remove_dir(&self.at("remove the directory", name)?).await)
    }

    async fn sync(&self) -> Result<(), SystemError> {
        self.host.sync_dir(&self.real).await
    }
}
