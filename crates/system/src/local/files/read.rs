//! Reading of files, whole or piece by piece.
//!
//! A whole file takes one `open`, one `fstat`, one `read` and one `close`.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rustix::fs::fstat;

use super::super::pool::{CancelFlag, PIECE};
use super::super::system_state::Shared;
use super::open_file::{PathHandle, READ};
use super::path_lookup;
use super::stat::{Outcome, describe, there};
use crate::{FileContent, Metadata, ReadAt, SystemError};

pub(super) async fn read(
    path: &Path,
    most: u64,
    shared: &Shared,
) -> Result<Option<FileContent>, SystemError> {
    let failed = |kind| SystemError::file("read", path, kind);
    let Some(handle) = there(path_lookup::open_file(&shared.place, path, READ)).map_err(failed)? else {
        return Ok(None);
    };
    let PathHandle { fd, metadata, .. } = handle;
    let reading = Reading { file: fd.into(), bytes: Vec::new(), most };
    let bytes = reading.all(metadata.len, shared).await.map_err(failed)?;
    Ok(Some(FileContent { metadata, bytes }))
}

pub(super) struct OpenFile {
    file: Arc<File>,
    metadata: Metadata,
    path: PathBuf,
    shared: Arc<Shared>,
}

impl OpenFile {
    pub(super) fn new(file: Arc<File>, path: &Path, shared: &Arc<Shared>) -> io::Result<Self> {
        let metadata = describe(&fstat(&file)?);
        Ok(Self { file, metadata, path: path.to_owned(), shared: Arc::clone(shared) })
    }

    pub(super) fn held(handle: PathHandle, path: &Path, shared: &Arc<Shared>) -> Self {
        let PathHandle { fd, metadata, .. } = handle;
        let file = Arc::new(fd.into());
        Self { file, metadata, path: path.to_owned(), shared: Arc::clone(shared) }
    }
}

pub(super) fn open(path: &Path, shared: &Arc<Shared>) -> Result<Option<OpenFile>, SystemError> {
    let opened = there(path_lookup::open_file(&shared.place, path, READ))
        .map_err(|kind| SystemError::file("read", path, kind))?;
    Ok(opened.map(|handle| OpenFile::held(handle, path, shared)))
}

#[async_trait]
impl ReadAt for OpenFile {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
        let Self { file, metadata, path, shared } = self;
        let read = shared.pool.read_at(file, metadata.len, offset, buffer, File::read_at).await;
        read.map_err(|kind| SystemError::file("read", path, kind))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        // Closing a large file that has lost its name may block.
        if self.shared.pool.is_large(self.metadata.len) {
            self.shared.pool.close(Arc::clone(&self.file));
        }
    }
}

/// A read of a file from its start, up to `most` bytes.
struct Reading {
    file: File,
    bytes: Vec<u8>,
    most: u64,
}

impl Reading {
    async fn all(mut self, len: u64, shared: &Shared) -> Outcome<Vec<u8>> {
        let expected = len.min(self.most);
        if !shared.pool.is_large(expected) {
            // Kernel files (`/proc`) report a length of zero.
            if len > 0 && self.at_once(len)? {
                return Ok(self.bytes);
            }
            if self.piece(shared.pool.small())? {
                return Ok(self.bytes);
            }
        }
        let rest = move |wanted: &CancelFlag| {
            let room = usize::try_from(expected).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
            let missing = room.saturating_sub(self.bytes.len());
            self.bytes.try_reserve_exact(missing).map_err(io::Error::from)?;
            while !self.piece(PIECE as u64)? {
                wanted.check()?;
            }
            Ok(self.bytes)
        };
        shared.pool.run(rest).await
    }

    /// Requests one byte more than the file has, so that a short read proves the end without a second call.
    ///
    /// Returns whether the end was reached.
    fn at_once(&mut self, len: u64) -> io::Result<bool> {
        let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
        let room = usize::try_from(len.saturating_add(1).min(self.most)).map_err(too_large)?;
        let len = usize::try_from(len.min(self.most)).map_err(too_large)?;
        self.bytes.resize(room, 0);
        let mut filled = 0;
        while filled < len {
            match self.file.read(&mut self.bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.bytes.truncate(filled);
        Ok(filled <= len)
    }

    /// Reads up to `size` further bytes.
    ///
    /// Returns whether the end was reached.
    fn piece(&mut self, size: u64) -> io::Result<bool> {
        let size = size.min(self.most.saturating_sub(self.bytes.len() as u64));
        let count = (&mut self.file).take(size).read_to_end(&mut self.bytes)?;
        Ok(size == 0 || (count as u64) < size)
    }
}
