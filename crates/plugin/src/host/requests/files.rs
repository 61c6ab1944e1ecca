//! Requests on files, by path and by handle.

use std::path::Path;
use std::sync::Arc;

use super::super::super::protocol::{
    FileReadAt, FilesFlush, FilesRead, FilesWrite, OpenFile, PIECE, ScratchRead, ScratchWrite, StagedCommit,
    StagedWrite, TempDirRemove,
};
use super::super::handles::{Handle, used_up};
use super::{Machine, Perform};
use crate::system::{FileContent, Files, ReadAt, SystemError, WriteFile};
use crate::types::json_forms::Bytes;

impl<'c> Machine<'c> {
    fn files(&self) -> &'c dyn Files {
        self.cx.system().files()
    }

    pub(super) fn keep_file(&self, open: Box<dyn ReadAt>) -> Result<OpenFile, SystemError> {
        let metadata = open.metadata().clone();
        Ok(OpenFile { handle: self.handles.keep(Handle::Read(Arc::from(open)))?, metadata })
    }
}

impl Perform for FilesRead {
    async fn perform(self, machine: Machine<'_>) -> Result<Option<FileContent>, SystemError> {
        machine.files().read_head(&self.path.0, self.most.min(PIECE as u64)).await
    }
}

impl Perform for FilesWrite {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let Self { path, content, mode, ownership, inherit } = self;
        machine.files().write(&path.0, WriteFile { content: &content.0, mode, ownership, inherit }).await
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
