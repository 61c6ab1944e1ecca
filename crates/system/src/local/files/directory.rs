//! The local implementation of open directories.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rustix::fs::{AtFlags, OFlags, readlinkat, renameat, symlinkat, unlinkat};

use super::super::pool::CancelFlag;
use super::super::system_state::Shared;
use super::open_file::{Folder, HOLD, LIST, PathHandle, READ};
use super::path_lookup::{Target, changeable, readable};
use super::path_walk::walk_below;
use super::read::OpenFile;
use super::stat::{Outcome, expect_file, there};
use super::{attribute_changes, extended_attributes, hard_link, list, temporary_name, write};
use crate::names::entry_name;
use crate::{
    Directory, ExtendedAttribute, FileKind, Inode, Metadata, NamedEntry, Ownership, ReadAt, StagedFile,
    SystemError, SystemErrorKind,
};

pub(super) struct OpenDirectory {
    folder: Folder,
    path: PathBuf,
    shared: Arc<Shared>,
}

impl OpenDirectory {
    pub(super) fn new(folder: Folder, path: &Path, shared: &Arc<Shared>) -> Self {
        Self { folder, path: path.to_owned(), shared: Arc::clone(shared) }
    }

    /// Performs an operation on an entry, and adds the operation and the path to an error.
    fn with<'a, T>(
        &self,
        operation: &'static str,
        name: &'a OsStr,
        work: impl FnOnce(&'a OsStr) -> Outcome<T>,
    ) -> Result<T, SystemError> {
        entry_name(name)
            .and_then(work)
            .map_err(|kind| SystemError::file(operation, self.path.join(name), kind))
    }

    /// Like [`with`](Self::with), for a new entry.
    fn create<'a>(
        &self,
        operation: &'static str,
        name: &'a OsStr,
        work: impl FnOnce(&'a OsStr) -> Outcome<()>,
    ) -> Result<(), SystemError> {
        self.with(operation, name, |name| {
            temporary_name::refuse_name(name)?;
            work(name)
        })
    }

    /// Opens a handle of an entry that is to be changed in place.
    fn hold_for_change(&self, name: &OsStr) -> Outcome<PathHandle> {
        let handle = PathHandle::entry(&self.folder, name)?;
        if !handle.is_dir() && handle.metadata.links > 1 {
            changeable(&self.folder.metadata()?, &handle.metadata)?;
        }
        Ok(handle)
    }

    fn open_file(&self, name: &OsStr) -> Outcome<PathHandle> {
        // Only regular files are opened, because opening a device may have effects.
        expect_file(PathHandle::entry(&self.folder, name)?.metadata.kind)?;
        let opened = PathHandle::new(self.folder.open(name, READ)?)?;
        expect_file(opened.metadata.kind)?;
        if opened.metadata.links > 1 {
            readable(&self.folder.metadata()?, &opened.metadata)?;
        }
        Ok(opened)
    }
}

#[async_trait]
impl Directory for OpenDirectory {
    fn path(&self) -> &Path {
        &self.path
    }

    async fn own_metadata(&self) -> Result<Metadata, SystemError> {
        self.folder.metadata().map_err(|kind| SystemError::file("look at", &self.path, kind))
    }

    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> {
        let listed = match self.folder.reopen(LIST) {
            Ok(opened) => list::entries(opened, &self.shared).await,
            Err(kind) => Err(kind),
        };
        listed.map_err(|kind| SystemError::file("list", &self.path, kind))
    }

    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError> {
        self.with("look at", name, |name| self.folder.look(name))
    }

    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let opened =
            self.with("list", name, |name| match self.folder.open(name, HOLD | OFlags::DIRECTORY) {
                Err(SystemErrorKind::NotFound) => Ok(None),
                opened => opened.map(Some),
            })?;
        Ok(opened.map(|fd| {
            Box::new(Self::new(fd.into(), &self.path.join(name), &self.shared)) as Box<dyn Directory>
        }))
    }

    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let walk = || {
            walk_below(
                &self.shared.place,
                PathHandle::new(self.folder.reopen(HOLD | OFlags::DIRECTORY)?)?,
                &self.path,
                path,
            )
        };
        let opened = match walk() {
            Err(SystemErrorKind::NotFound) => return Ok(None),
            walked => walked.and_then(|inside| inside.ok_or(SystemErrorKind::Outside)),
        };
        let (handle, names) = opened.map_err(|kind| SystemError::file("list", self.path.join(path), kind))?;
        let path = names.iter().fold(self.path.clone(), |path, name| path.join(name));
        Ok(Some(Box::new(Self::new(handle.into(), &path, &self.shared))))
    }

    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let opened = self.with("read", name, |name| there(self.open_file(name)))?;
        Ok(opened.map(|handle| {
            Box::new(OpenFile::held(handle, &self.path.join(name), &self.shared)) as Box<dyn ReadAt>
        }))
    }

    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError> {
        let read = |name| Ok(readlinkat(&self.folder, name, Vec::new())?.into_bytes());
        let target = self.with("read the link", name, |name| there(read(name)))?;
        Ok(target.map(|target| OsString::from_vec(target).into()))
    }

    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError> {
        let target = self.with("write", name, |name| {
            temporary_name::refuse_name(name)?;
            // A link is replaced and has no attributes to inherit.
            let existing = self.folder.look(name)?.filter(|metadata| metadata.kind != FileKind::Symlink);
            Target { folder: self.folder.clone(), name: name.to_owned(), existing }.require_file()
        })?;
        let path = self.path.join(name);
        let staged = write::stage(target, &path, &self.shared).await;
        Ok(Box::new(staged.map_err(|kind| SystemError::file("write", path, kind))?))
    }

    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.create("create the directory", name, |name| {
            attribute_changes::create_dir(&self.folder, name, mode)
        })
    }

    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.create("create the link", name, |name| Ok(symlinkat(target, &self.folder, name)?))
    }

    async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError> {
        self.with("look at", name, |name| self.folder.inode(name))
    }

    async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.with("create the hard link", name, |name| {
            let file = hard_link::hold(&self.shared.place, existing)?;
            temporary_name::refuse_name(name)?;
            hard_link::link(&file, &self.folder, name)
        })
    }

    async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        let change = |name| attribute_changes::set_mode(&self.hold_for_change(name)?, mode);
        self.with("change the mode of", name, change)
    }

    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError> {
        let change = |name| attribute_changes::set_ownership(&self.hold_for_change(name)?, ownership);
        self.with("change the owner of", name, change)
    }

    async fn may_change(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with("change", name, |name| self.hold_for_change(name).map(|_| ()))
    }

    async fn extended_attributes(&self, name: &OsStr) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        self.with("read the attributes of", name, |name| {
            there(PathHandle::entry(&self.folder, name).and_then(|entry| extended_attributes::read(&entry)))
        })
    }

    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError> {
        self.with("rename", from, |from| {
            temporary_name::refuse_name(entry_name(to)?)?;
            Ok(renameat(&self.folder, from, &self.folder, to)?)
        })
    }

    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError> {
        let (name, folder) = (self.with("remove", name, Ok)?, self.folder.clone());
        let removed = attribute_changes::remove_file(folder, name, &self.shared).await;
        removed.map_err(|kind| SystemError::file("remove", self.path.join(name), kind))
    }

    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError> {
        let remove = |name| Ok(unlinkat(&self.folder, name, AtFlags::REMOVEDIR)?);
        self.with("remove the directory", name, remove)
    }

    async fn sync(&self) -> Result<(), SystemError> {
        let folder = self.folder.clone();
        let sync = move |_: &CancelFlag| Ok(File::from(folder.reopen(LIST)?).sync_all()?);
        let synced = self.shared.pool.run(sync).await;
        synced.map_err(|kind| SystemError::file("write to disk", &self.path, kind))
    }
}
