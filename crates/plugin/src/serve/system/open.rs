//! Open files and directories on the host.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::super::super::protocol::{FileReadAt, OpenFile, PIECE, StagedCommit, StagedWrite};
use super::{Handle, Requester};
use crate::system::{CommitFile, Metadata, ReadAt, StagedFile, SystemError};
use crate::types::json_forms::{Bytes, WirePath};

pub(super) fn wire(path: &Path) -> WirePath {
    WirePath(path.to_owned())
}

pub(super) struct Opened {
    pub(super) handle: Handle,
    metadata: Metadata,
}

impl Opened {
    pub(super) fn new(asks: &Requester, open: OpenFile) -> Self {
        Self { handle: asks.handle(open.handle), metadata: open.metadata }
    }
}

#[async_trait]
impl ReadAt for Opened {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
        let most = buffer.len().min(PIECE) as u64;
        let Bytes(bytes) = self.handle.ask(|handle| FileReadAt { handle, offset, most }).await?;
        let read = bytes.len().min(buffer.len());
        buffer[..read].copy_from_slice(&bytes[..read]);
        Ok(read)
    }
}

pub(super) struct Staged(pub(super) Handle);

#[async_trait]
impl StagedFile for Staged {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        for piece in bytes.chunks(PIECE) {
            self.0.ask(|handle| StagedWrite { handle, bytes: Bytes(piece.to_vec()) }).await?;
        }
        Ok(())
    }

    async fn commit(self: Box<Self>, commit: CommitFile) -> Result<(), SystemError> {
        self.0.ask(|handle| StagedCommit { handle, commit }).await
    }
}

pub(super) struct OpenFolder {
    pub(super) handle: Handle,
    pub(super) path: PathBuf,
}
