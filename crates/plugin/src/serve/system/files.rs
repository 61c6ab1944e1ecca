//! Files on the host, by path and by handle.

use std::path::{Path, PathBuf};

use async_trait::async_trait;

use super::super::super::protocol::{
    FilesCreateDir, FilesFlush, FilesHardLink, FilesInherited, FilesInode, FilesMayChange, FilesMetadata,
    FilesOpen, FilesOpenDir, FilesRead, FilesReadDir, FilesReadLink, FilesRemoveDir, FilesRemoveFile,
    FilesRename, FilesScratch, FilesSetMode, FilesSetOwnership, FilesStage, FilesSymlink, FilesSyncDir,
    FilesTempDir, FilesWrite, FilesWriteInPlace, PIECE, ScratchRead, ScratchWrite, TempDirRemove,
};
use super::directory::OpenFolder;
use super::open::{Opened, Staged, wire};
use super::{Handle, HostSystem};
use crate::system::{
    CommitFile, DirEntry, Directory, FileContent, Files, Follow, Inherit, Inode, Metadata, Ownership, ReadAt,
    ScratchFile, StagedFile, SystemError, TempDir, WriteFile,
};
use crate::types::json_forms::Bytes;

pub(super) struct Scratch(Handle);

impl Scratch {
    pub(super) fn new(handle: Handle) -> Self {
        Self(handle)
    }

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
struct TempFolder {
    path: PathBuf,
    handle: Handle,
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

#[async_trait]
impl Files for HostSystem {
    async fn metadata(&self, path: &Path, follow: Follow) -> Result<Option<Metadata>, SystemError> {
        self.asks.ask(FilesMetadata { path: wire(path), follow }).await
    }

    async fn read_head(&self, path: &Path, maximum: u64) -> Result<Option<FileContent>, SystemError> {
        let first = maximum.min(PIECE as u64);
        let head = self.asks.ask(FilesRead { path: wire(path), most: first }).await?;
        let Some(head) = head else { return Ok(None) };
        if (head.bytes.len() as u64) < first || maximum == first {
            return Ok(Some(head));
        }
        // The rest is read through one handle, because another file may take the name meanwhile.
        let Some(open) = self.open(path).await? else { return Ok(None) };
        let mut content = FileContent { metadata: open.metadata().clone(), bytes: Vec::new() };
        let mut piece = vec![0; PIECE];
        while (content.bytes.len() as u64) < maximum {
            let offset = content.bytes.len() as u64;
            let length = usize::try_from(maximum - offset).map_or(PIECE, |left| left.min(PIECE));
            let read = open.read_at(offset, &mut piece[..length]).await?;
            if read == 0 {
                break;
            }
            content.bytes.extend_from_slice(&piece[..read]);
        }
        Ok(Some(content))
    }

    async fn open(&self, path: &Path) -> Result<Option<Box<dyn ReadAt>>, SystemError> {
        let open = self.asks.ask(FilesOpen { path: wire(path) }).await?;
        Ok(open.map(|open| Box::new(Opened::new(&self.asks, open)) as Box<dyn ReadAt>))
    }

    async fn write(&self, path: &Path, write: WriteFile<'_>) -> Result<(), SystemError> {
        let WriteFile { content, mode, ownership, inherit } = write;
        if content.len() > PIECE {
            let mut staged = self.stage(path).await?;
            staged.write(content).await?;
            return staged.commit(CommitFile { mode, ownership, inherit, modified: None }).await;
        }
        let content = Bytes(content.to_vec());
        self.asks.ask(FilesWrite { path: wire(path), content, mode, ownership, inherit }).await
    }

    async fn inherited(&self, path: &Path, inherit: Inherit) -> Result<Option<Metadata>, SystemError> {
        self.asks.ask(FilesInherited { path: wire(path), inherit }).await
    }

    async fn stage(&self, path: &Path) -> Result<Box<dyn StagedFile>, SystemError> {
        let id = self.asks.ask(FilesStage { path: wire(path) }).await?;
        Ok(Box::new(Staged(self.handle(id))))
    }

    async fn scratch(&self) -> Result<Box<dyn ScratchFile>, SystemError> {
        let id = self.asks.ask(FilesScratch {}).await?;
        Ok(Box::new(Scratch(self.handle(id))))
    }

    async fn write_in_place(&self, path: &Path, content: &[u8]) -> Result<(), SystemError> {
        self.asks.ask(FilesWriteInPlace { path: wire(path), content: Bytes(content.to_vec()) }).await
    }

    async fn temp_dir(&self) -> Result<Box<dyn TempDir>, SystemError> {
        let open = self.asks.ask(FilesTempDir {}).await?;
        Ok(Box::new(TempFolder { path: open.path.0, handle: self.handle(open.handle) }))
    }

    async fn create_dir(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        self.asks.ask(FilesCreateDir { path: wire(path), mode }).await
    }

    async fn sync_dir(&self, path: &Path) -> Result<(), SystemError> {
        self.asks.ask(FilesSyncDir { path: wire(path) }).await
    }

    async fn flush(&self, paths: &[&Path]) -> Result<(), SystemError> {
        self.asks.ask(FilesFlush { paths: paths.iter().map(|path| wire(path)).collect() }).await
    }

    async fn open_dir(&self, path: &Path) -> Result<Option<Box<dyn Directory>>, SystemError> {
        let open = self.asks.ask(FilesOpenDir { path: wire(path) }).await?;
        Ok(open.map(|open| Box::new(OpenFolder::new(&self.asks, open)) as Box<dyn Directory>))
    }

    async fn read_dir(&self, path: &Path) -> Result<Vec<DirEntry>, SystemError> {
        self.asks.ask(FilesReadDir { path: wire(path) }).await
    }

    async fn set_mode(&self, path: &Path, mode: u32) -> Result<(), SystemError> {
        self.asks.ask(FilesSetMode { path: wire(path), mode }).await
    }

    async fn set_ownership(
        &self,
        path: &Path,
        ownership: Ownership,
        follow: Follow,
    ) -> Result<(), SystemError> {
        self.asks.ask(FilesSetOwnership { path: wire(path), ownership, follow }).await
    }

    async fn may_change(&self, path: &Path, follow: Follow) -> Result<(), SystemError> {
        self.asks.ask(FilesMayChange { path: wire(path), follow }).await
    }

    async fn read_link(&self, path: &Path) -> Result<Option<PathBuf>, SystemError> {
        Ok(self.asks.ask(FilesReadLink { path: wire(path) }).await?.map(|target| target.0))
    }

    async fn symlink(&self, target: &Path, path: &Path) -> Result<(), SystemError> {
        self.asks.ask(FilesSymlink { target: wire(target), path: wire(path) }).await
    }

    async fn inode(&self, path: &Path, follow: Follow) -> Result<Option<Inode>, SystemError> {
        self.asks.ask(FilesInode { path: wire(path), follow }).await
    }

    async fn hard_link(&self, existing: &Path, path: &Path) -> Result<(), SystemError> {
        self.asks.ask(FilesHardLink { existing: wire(existing), path: wire(path) }).await
    }

    async fn rename(&self, from: &Path, to: &Path) -> Result<(), SystemError> {
        self.asks.ask(FilesRename { from: wire(from), to: wire(to) }).await
    }

    async fn remove_file(&self, path: &Path) -> Result<(), SystemError> {
        self.asks.ask(FilesRemoveFile { path: wire(path) }).await
    }

    async fn remove_dir(&self, path: &Path) -> Result<(), SystemError> {
        self.asks.ask(FilesRemoveDir { path: wire(path) }).await
    }
}
