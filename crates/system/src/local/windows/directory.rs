//! Open directories on Windows, accessed by path.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;

use super::super::system_state::Shared;
use super::paths::{self, OpenFile, Outcome, look, set_mode, set_ownership, there};
use super::staged::{Staged, Target};
use crate::names::entry_name;
use crate::{
    Directory, ExtendedAttribute, FileKind, Follow, Inode, Metadata, NamedEntry, Ownership, ReadAt,
    StagedFile, SystemError, SystemErrorKind,
};

/// A directory that is accessed by the link-free path that it had when opened.
///
/// If another directory takes that path later, operations apply to the other one.
pub(super) struct PathDirectory {
    shown: PathBuf,
    path: PathBuf,
    shared: Arc<Shared>,
}

impl PathDirectory {
    pub(super) fn open(shown: &Path, path: &Path, shared: &Arc<Shared>) -> Outcome<Self> {
        if look(path, Follow::Links)?.kind != FileKind::Directory {
            return Err(SystemErrorKind::NotADirectory);
        }
        Ok(Self { shown: shown.to_owned(), path: fs::canonicalize(path)?, shared: Arc::clone(shared) })
    }

    /// Performs an operation on an entry, and adds the operation and the path to an error.
    fn with<T>(
        &self,
        operation: &'static str,
        name: &OsStr,
        work: impl FnOnce(&Path) -> Outcome<T>,
    ) -> Result<T, SystemError> {
        let done = entry(name).and_then(|name| work(&self.path.join(name)));
        done.map_err(|kind| SystemError::file(operation, self.shown.join(name), kind))
    }

    fn below(&self, path: &Path) -> Outcome<(PathBuf, PathBuf)> {
        let found = fs::canonicalize(self.path.join(path))?;
        let names = found.strip_prefix(&self.path).map_err(|_| SystemErrorKind::Outside)?;
        Ok((self.shown.join(names), found))
    }
}

/// Checks a single entry name, which must not refer to another drive, a stream of a file or a parent.
fn entry(name: &OsStr) -> Outcome<&OsStr> {
    let bytes = entry_name(name)?.as_encoded_bytes();
    if bytes.iter().any(|byte| matches!(byte, b'\\' | b':')) {
        Err(SystemErrorKind::InvalidPath)
    } else {
        Ok(name)
    }
}

#[async_trait]
impl Directory for PathDirectory {
    fn path(&self) -> &Path {
        &self.shown
    }

    async fn own_metadata(&self) -> Result<Metadata, SystemError> {
        look(&self.path, Follow::Never).map_err(|kind| SystemError::file("look at", &self.shown, kind))
    }

    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> {
        paths::entries(&self.path).map_err(|kind| SystemError::file("list", &self.shown, kind))
    }

    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError> {
        self.with("look at", name, |path| there(look(path, Follow::Never)))
    }

    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let shown = self.shown.join(name);
        self.with("list", name, |path| match look(path, Follow::Never) {
            Err(SystemErrorKind::NotFound) => Ok(None),
            Ok(found) if found.kind == FileKind::Directory => {
                let opened = Self::open(&shown, path, &self.shared)?;
                Ok(Some(Box::new(opened) as Box<dyn Directory>))
            }
            found => found.and(Err(SystemErrorKind::NotADirectory)),
        })
    }

    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let opened = self.below(path).and_then(|(shown, found)| Self::open(&shown, &found, &self.shared));
        match opened {
            Err(SystemErrorKind::NotFound) => Ok(None),
            Err(kind) => Err(SystemError::file("list", self.shown.join(path), kind)),
            Ok(opened) => Ok(Some(Box::new(opened))),
        }
    }

    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let opened =
            self.with("read", name, |path| there(OpenFile::open(path, Follow::Never, &self.shared)))?;
        Ok(opened.map(|opened| Box::new(opened) as Box<dyn ReadAt>))
    }

    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError> {
        self.with("read the link", name, |path| there(paths::read_link(path)))
    }

    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError> {
        let shown = self.shown.join(name);
        let stage = |path: &Path| Staged::new(Target::from_entry(path)?, &shown, &self.shared);
        Ok(Box::new(self.with("write", name, stage)?))
    }

    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.with("create the directory", name, |path| paths::create_dir(path, mode))
    }

    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.with("create the link", name, |path| paths::symlink(target, path))
    }

    async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError> {
        self.with("look at", name, |_| Err(paths::inode()))
    }

    async fn hard_link(&self, _existing: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.with("create the hard link", name, |_| Err(paths::hard_link()))
    }

    async fn set_mode(&self, name: &OsStr, _mode: u32) -> Result<(), SystemError> {
        self.with("change the mode of", name, |_| Err(set_mode()))
    }

    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError> {
        self.with("change the owner of", name, |_| set_ownership(ownership))
    }

    async fn may_change(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with("change", name, |path| look(path, Follow::Never).map(|_| ()))
    }

    async fn extended_attributes(&self, name: &OsStr) -> Result<Option<Vec<ExtendedAttribute>>, SystemError> {
        self.with("read the attributes of", name, |path| {
            Ok(there(look(path, Follow::Never))?.map(|_| Vec::new()))
        })
    }

    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError> {
        self.with("rename", from, |from| paths::rename(from, &self.path.join(entry(to)?)))
    }

    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with("remove", name, paths::remove_file)
    }

    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError> {
        self.with("remove the directory", name, paths::remove_dir)
    }

    async fn sync(&self) -> Result<(), SystemError> {
        // NTFS keeps directory entries in its journal, for which there is no flush.
        Ok(())
    }
}
