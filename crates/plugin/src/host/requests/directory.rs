//! Requests on open directories.

use super::super::super::protocol::{
    DirCreateDir, DirEntries, DirHardLink, DirInode, DirMayChange, DirMetadata, DirOpen, DirOpenBelow,
    DirOpenDir, DirOwnMetadata, DirReadLink, DirRemoveDir, DirRemoveFile, DirRename, DirSetMode,
    DirSetOwnership, DirStage, DirSymlink, DirSync, OpenDirectory, OpenFile,
};
use super::super::handles::{Handle, Staged, exclusive};
use super::{Machine, Perform};
use crate::system::{Inode, Metadata, NamedEntry, SystemError};
use crate::types::json_forms::WirePath;

impl Perform for DirOwnMetadata {
    async fn perform(self, machine: Machine<'_>) -> Result<Metadata, SystemError> {
        machine.handles.directory(self.handle)?.own_metadata().await
    }
}

impl Perform for DirEntries {
    async fn perform(self, machine: Machine<'_>) -> Result<Vec<NamedEntry>, SystemError> {
        machine.handles.directory(self.handle)?.entries().await
    }
}

impl Perform for DirMetadata {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<Metadata>, SystemError> {
        machine.handles.directory(self.handle)?.metadata(self.name.0.as_os_str()).await
    }
}

impl Perform for DirOpenDir {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<OpenDirectory>, SystemError> {
        let open = machine.handles.directory(self.handle)?.open_dir(self.name.0.as_os_str()).await?;
        open.map(|open| machine.keep_directory(open)).transpose()
    }
}

impl Perform for DirOpenBelow {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<OpenDirectory>, SystemError> {
        let open = machine.handles.directory(self.handle)?.open_below(&self.path.0).await?;
        open.map(|open| machine.keep_directory(open)).transpose()
    }
}

impl Perform for DirOpen {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<OpenFile>, SystemError> {
        let open = machine.handles.directory(self.handle)?.open(self.name.0.as_os_str()).await?;
        open.map(|open| machine.keep_file(open)).transpose()
    }
}

impl Perform for DirReadLink {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<WirePath>, SystemError> {
        let target = machine.handles.directory(self.handle)?.read_link(self.name.0.as_os_str()).await?;
        Ok(target.map(WirePath))
    }
}

impl Perform for DirMayChange {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.may_change(self.name.0.as_os_str()).await
    }
}

impl Perform for DirStage {
    async fn perform(self, machine: Machine<'_>) -> Result<u64, SystemError> {
        let staged = machine.handles.directory(self.handle)?.stage(self.name.0.as_os_str()).await?;
        machine.handles.keep(Handle::Staged(Staged { file: exclusive(staged), temporary: false }))
    }
}

impl Perform for DirCreateDir {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.create_dir(self.name.0.as_os_str(), self.mode).await
    }
}

impl Perform for DirSymlink {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.symlink(&self.target.0, self.name.0.as_os_str()).await
    }
}

impl Perform for DirInode {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<Inode>, SystemError> {
        machine.handles.directory(self.handle)?.inode(self.name.0.as_os_str()).await
    }
}

impl Perform for DirHardLink {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.hard_link(&self.existing.0, self.name.0.as_os_str()).await
    }
}

impl Perform for DirSetMode {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.set_mode(self.name.0.as_os_str(), self.mode).await
    }
}

impl Perform for DirSetOwnership {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.set_ownership(self.name.0.as_os_str(), self.ownership).await
    }
}

impl Perform for DirRename {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.rename(self.from.0.as_os_str(), self.to.0.as_os_str()).await
    }
}

impl Perform for DirRemoveFile {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.remove_file(self.name.0.as_os_str()).await
    }
}

impl Perform for DirRemoveDir {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.remove_dir(self.name.0.as_os_str()).await
    }
}

impl Perform for DirSync {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.handles.directory(self.handle)?.sync().await
    }
}
