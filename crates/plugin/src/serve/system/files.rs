//! Files on the host, by path and by handle.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::super::super::protocol::{
    FilesFlush, FilesRead, FilesWrite, PIECE, ScratchRead, ScratchWrite, TempDirRemove,
};
use super::open::{Opened, wire};
use super::{Handle, HostSystem};
use crate::system::{
    CommitFile, FileContent, Files as _, ReadAt, ScratchFile, SystemError, TempDir, WriteFile,
};
use crate::types::json_forms::Bytes;

pub(super) struct Scratch(pub(super) Handle);

impl Scratch {
    pub(super) async fn into_opened(self) -> Result<Opened, SystemError> {
        let open = self.0.ask(|handle| ScratchRead { handle }).await?;
        Ok(Opened::new(&self.0.asks, open))
    }
}

#[async_trait]
impl ScratchFile for Scratch {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        for piece in bytes.chunks(PIECE) {
            self.0.ask(|handle| ScratchWrite { handle, bytes: Bytes(piece.to_vec()) }).await?;
        }
        Ok(())
    }

    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError> {
        Ok(Box::new(self.into_opened().await?))
    }
}

/// A temporary directory on the host, removed when its handle is closed.
pub(super) struct TempFolder {
    pub(super) path: PathBuf,
    pub(super) handle: Handle,
}

#[async_trait]
impl TempDir for TempFolder {
    fn path(&self) -> &Path {
        &self.path
    }

    async fn remove(self: Box<Self>) -> Result<(), SystemError> {
        self.handle.ask(|handle| TempDirRemove { handle }).await
    }
}

pub(super) async fn read_head(
    system: &HostSystem,
    path: &Path,
    limit: u64,
) -> Result<Option<FileContent>, SystemError> {
    let first = limit.min(PIECE as u64);
    let head = system.asks.ask(FilesRead { path: wire(path), most: first }).await?;
    let Some(head) = head else { return Ok(None) };
    if (head.bytes.len() as u64) < first || limit == first {
        return Ok(Some(head));
    }
    // The rest is read through one handle, because another file may take the name meanwhile.
    let Some(open) = system.open(path).await? else { return Ok(None) };
    let mut content = FileContent { metadata: open.metadata().clone(), bytes: Vec::new() };
    let mut piece = vec![0; PIECE];
    while (content.bytes.len() as u64) < limit {
        let offset = content.bytes.len() as u64;
        let length = usize::try_from(limit - offset).map_or(PIECE, |left| left.min(PIECE));
        let read = open.read_at(offset, &mut piece[..length]).await?;
        if read == 0 {
            break;
        }
        content.bytes.extend_from_slice(&piece[..read]);
    }
    Ok(Some(content))
}

pub(super) async fn write(system: &HostSystem, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
    let WriteFile { content, mode, ownership, inherit } = write;
    if content.len() > PIECE {
        let mut staged = system.stage(path).await?;
        staged.write(content).await?;
        return staged.commit(CommitFile { mode, ownership, inherit, modified: None }).await;
    }
    let content = Bytes(content.to_vec());
    system.asks.ask(FilesWrite { path: wire(path), content, mode, ownership, inherit }).await
}

pub(super) async fn flush(system: &HostSystem, paths: &[&Path]) -> Result<(), SystemError> {
    system.asks.ask(FilesFlush { paths: paths.iter().map(|path| wire(path)).collect() }).await
}
