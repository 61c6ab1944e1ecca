//! Open directories on the host.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::super::super::protocol::{
    DirCreateDir, DirEntries, DirHardLink, DirInode, DirMayChange, DirMetadata, DirOpen, DirOpenBelow,
    DirOpenDir, DirOwnMetadata, DirReadLink, DirRemoveDir, DirRemoveFile, DirRename, DirSetMode,
    DirSetOwnership, DirStage, DirSymlink, DirSync, OpenDirectory,
};
use super::open::{Opened, Staged, wire};
use super::{Handle, Requester};
use crate::system::{Directory, Inode, Metadata, NamedEntry, Ownership, ReadAt, StagedFile, SystemError};
use crate::types::json_forms::WirePath;

pub(super) struct OpenFolder {
    handle: Handle,
    path: PathBuf,
}

impl OpenFolder {
    pub(super) fn new(asks: &Requester, open: OpenDirectory) -> Self {
        Self { handle: Handle { asks: asks.clone(), id: open.handle }, path: open.path.0 }
    }

    fn boxed(&self, open: Option<OpenDirectory>) -> Option<Box<dyn Directory>> {
        open.map(|open| Box::new(Self::new(&self.handle.asks, open)) as Box<dyn Directory>)
    }
}

fn named(name: &OsStr) -> WirePath {
    WirePath(PathBuf::from(name))
}

#[async_trait]
impl Directory for OpenFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    async fn own_metadata(&self) -> Result<Metadata, SystemError> {
        self.handle.ask(|handle| DirOwnMetadata { handle }).await
    }

    async fn entries(&self) -> Result<Vec<NamedEntry>, SystemError> {
        self.handle.ask(|handle| DirEntries { handle }).await
    }

    async fn metadata(&self, name: &OsStr) -> Result<Option<Metadata>, SystemError> {
        self.handle.ask(|handle| DirMetadata { handle, name: named(name) }).await
    }

    async fn open_dir(&self, name: &OsStr) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let open = self.handle.ask(|handle| DirOpenDir { handle, name: named(name) }).await?;
        Ok(self.boxed(open))
    }

    async fn open_below(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let open = self.handle.ask(|handle| DirOpenBelow { handle, path: wire(path) }).await?;
        Ok(self.boxed(open))
    }

    async fn open(&self, name: &OsStr) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let open = self.handle.ask(|handle| DirOpen { handle, name: named(name) }).await?;
        Ok(open.map(|open| Box::new(Opened::new(&self.handle.asks, open)) as Box<dyn ReadAt>))
    }

    async fn read_link(&self, name: &OsStr) -> Result<Option<PathBuf>, SystemError> {
        let target = self.handle.ask(|handle| DirReadLink { handle, name: named(name) }).await?;
        Ok(target.map(|target| target.0))
    }

    async fn stage(&self, name: &OsStr) -> Result<Box<dyn StagedFile>, SystemError> {
        let id = self.handle.ask(|handle| DirStage { handle, name: named(name) }).await?;
        Ok(Box::new(Staged(Handle { asks: self.handle.asks.clone(), id })))
    }

    async fn create_dir(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirCreateDir { handle, name: named(name), mode }).await
    }

    async fn symlink(&self, target: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirSymlink { handle, target: wire(target), name: named(name) }).await
    }

    async fn inode(&self, name: &OsStr) -> Result<Option<Inode>, SystemError> {
        self.handle.ask(|handle| DirInode { handle, name: named(name) }).await
    }

    async fn hard_link(&self, existing: &Path, name: &OsStr) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirHardLink { handle, existing: wire(existing), name: named(name) }).await
    }

    async fn set_mode(&self, name: &OsStr, mode: u32) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirSetMode { handle, name: named(name), mode }).await
    }

    async fn set_ownership(&self, name: &OsStr, ownership: Ownership) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirSetOwnership { handle, name: named(name), ownership }).await
    }

    async fn may_change(&self, name: &OsStr) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirMayChange { handle, name: named(name) }).await
    }

    async fn rename(&self, from: &OsStr, to: &OsStr) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirRename { handle, from: named(from), to: named(to) }).await
    }

    async fn remove_file(&self, name: &OsStr) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirRemoveFile { handle, name: named(name) }).await
    }

    async fn remove_dir(&self, name: &OsStr) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirRemoveDir { handle, name: named(name) }).await
    }

    async fn sync(&self) -> Result<(), SystemError> {
        self.handle.ask(|handle| DirSync { handle }).await
    }
}
