//! Requests on files, by path and by handle.

use std::path::Path;
use std::sync::Arc;

use super::super::super::protocol::{
    FileReadAt, FilesCreateDir, FilesFlush, FilesHardLink, FilesInherited, FilesInode, FilesMayChange,
    FilesMetadata, FilesOpen, FilesOpenDir, FilesRead, FilesReadDir, FilesReadLink, FilesRemoveDir,
    FilesRemoveFile, FilesRename, FilesScratch, FilesSetMode, FilesSetOwnership, FilesStage, FilesSymlink,
    FilesSyncDir, FilesTempDir, FilesWrite, FilesWriteInPlace, OpenDirectory, OpenFile, PIECE, ScratchRead,
    ScratchWrite, StagedCommit, StagedWrite, TempDirRemove,
};
use super::super::handles::{Handle, Staged, exclusive, used_up};
use super::{Machine, Perform};
use crate::system::{
    DirEntry, Directory, FileContent, Files, Inode, Metadata, ReadAt, SystemError, WriteFile,
};
use crate::types::json_forms::{Bytes, WirePath};

impl<'c> Machine<'c> {
    fn files(&self) -> &'c dyn Files {
        self.cx.system().files()
    }

    pub(super) fn keep_file(&self, open: Box<dyn ReadAt>) -> Result<OpenFile, SystemError> {
        let metadata = open.metadata().clone();
        Ok(OpenFile { handle: self.handles.keep(Handle::Read(Arc::from(open)))?, metadata })
    }

    pub(super) fn keep_directory(&self, open: Box<dyn Directory>) -> Result<OpenDirectory, SystemError> {
        let path = WirePath(open.path().to_owned());
        Ok(OpenDirectory { handle: self.handles.keep(Handle::Directory(Arc::from(open)))?, path })
    }
}

impl Perform for FilesMetadata {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<Metadata>, SystemError> {
        machine.files().metadata(&self.path.0, self.follow).await
    }
}

impl Perform for FilesRead {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<FileContent>, SystemError> {
        machine.files().read_head(&self.path.0, self.most.min(PIECE as u64)).await
    }
}

impl Perform for FilesOpen {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<OpenFile>, SystemError> {
        machine.files().open(&self.path.0).await?.map(|open| machine.keep_file(open)).transpose()
    }
}

impl Perform for FilesReadDir {
    async fn perform(self, machine: Machine<'_>) -> Result<Vec<DirEntry>, SystemError> {
        machine.files().read_dir(&self.path.0).await
    }
}

impl Perform for FilesReadLink {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<WirePath>, SystemError> {
        Ok(machine.files().read_link(&self.path.0).await?.map(WirePath))
    }
}

impl Perform for FilesOpenDir {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<OpenDirectory>, SystemError> {
        machine.files().open_dir(&self.path.0).await?.map(|open| machine.keep_directory(open)).transpose()
    }
}

impl Perform for FilesInherited {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<Metadata>, SystemError> {
        machine.files().inherited(&self.path.0, self.inherit).await
    }
}

impl Perform for FilesMayChange {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().may_change(&self.path.0, self.follow).await
    }
}

impl Perform for FilesScratch {
    async fn perform(self, machine: Machine<'_>) -> Result<u64, SystemError> {
        machine.handles.keep(Handle::Scratch(exclusive(machine.files().scratch().await?)))
    }
}

impl Perform for FilesWrite {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let Self { path, content, mode, ownership, inherit } = self;
        machine.files().write(&path.0, WriteFile { content: &content.0, mode, ownership, inherit }).await
    }
}

impl Perform for FilesWriteInPlace {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().write_in_place(&self.path.0, &self.content.0).await
    }
}

impl Perform for FilesTempDir {
    async fn perform(self, machine: Machine<'_>) -> Result<OpenDirectory, SystemError> {
        let folder = machine.files().temp_dir().await?;
        let path = folder.path().to_owned();
        let handle = machine.handles.keep(Handle::TempDir(exclusive(folder), path.as_path().into()))?;
        Ok(OpenDirectory { handle, path: WirePath(path) })
    }
}

impl Perform for TempDirRemove {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let folder = machine.handles.temp_dir(self.handle)?.lock().await.take();
        let removed = folder.ok_or_else(|| used_up("a folder that is gone"))?.remove().await;
        machine.handles.close(self.handle);
        removed
    }
}

impl Perform for FilesStage {
    async fn perform(self, machine: Machine<'_>) -> Result<u64, SystemError> {
        let temporary = machine.handles.is_temporary(&self.path.0);
        let file = exclusive(machine.files().stage(&self.path.0).await?);
        machine.handles.keep(Handle::Staged(Staged { file, temporary }))
    }
}

impl Perform for FilesCreateDir {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().create_dir(&self.path.0, self.mode).await
    }
}

impl Perform for FilesSetMode {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().set_mode(&self.path.0, self.mode).await
    }
}

impl Perform for FilesSetOwnership {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().set_ownership(&self.path.0, self.ownership, self.follow).await
    }
}

impl Perform for FilesSymlink {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().symlink(&self.target.0, &self.path.0).await
    }
}

impl Perform for FilesInode {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<Inode>, SystemError> {
        machine.files().inode(&self.path.0, self.follow).await
    }
}

impl Perform for FilesHardLink {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().hard_link(&self.existing.0, &self.path.0).await
    }
}

impl Perform for FilesRename {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().rename(&self.from.0, &self.to.0).await
    }
}

impl Perform for FilesRemoveFile {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().remove_file(&self.path.0).await
    }
}

impl Perform for FilesRemoveDir {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().remove_dir(&self.path.0).await
    }
}

impl Perform for FilesSyncDir {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        machine.files().sync_dir(&self.path.0).await
    }
}

impl Perform for FilesFlush {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let paths: Vec<&Path> = self.paths.iter().map(|path| path.0.as_path()).collect();
        machine.files().flush(&paths).await
    }
}

impl Perform for FileReadAt {
    async fn perform(self, machine: Machine<'_>) -> Result<Bytes, SystemError> {
        let file = machine.handles.file(self.handle)?;
        let mut buffer = vec![0; usize::try_from(self.most).map_or(PIECE, |maximum| maximum.min(PIECE))];
        let read = file.read_at(self.offset, &mut buffer).await?;
        buffer.truncate(read);
        Ok(Bytes(buffer))
    }
}

impl Perform for StagedWrite {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let staged = machine.handles.staged(self.handle)?;
        let mut staged = staged.lock().await;
        let staged = staged.as_mut().ok_or_else(|| used_up("a file that was committed"))?;
        staged.write(&self.bytes.0).await
    }
}

impl Perform for StagedCommit {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let staged = machine.handles.staged(self.handle)?;
        let staged = staged.lock().await.take().ok_or_else(|| used_up("a file that was committed"))?;
        staged.commit(self.commit).await
    }
}

impl Perform for ScratchWrite {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let scratch = machine.handles.scratch(self.handle)?;
        let mut scratch = scratch.lock().await;
        let scratch = scratch.as_mut().ok_or_else(|| used_up("a file that is read by now"))?;
        scratch.write(&self.bytes.0).await
    }
}

impl Perform for ScratchRead {
    async fn perform(self, machine: Machine<'_>) -> Result<OpenFile, SystemError> {
        let scratch = machine.handles.scratch(self.handle)?;
        let scratch = scratch.lock().await.take().ok_or_else(|| used_up("a file that is read by now"))?;
        machine.keep_file(scratch.read().await?)
    }
}
