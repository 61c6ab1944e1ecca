//! Reading: a whole file with one `open`, one `fstat`, one `read` and one `close`, or a file piece by piece.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use nix::fcntl::OFlag;

use super::stat::{describe, existing};
use crate::system::{FileContent, FileKind, Metadata, ReadAt, SystemError, SystemErrorKind};

pub(super) fn read(path: &Path) -> Result<Option<FileContent>, SystemError> {
    let Some(OpenFile { mut file, metadata, .. }) = open(path)? else { return Ok(None) };
    let bytes = read_all(&mut file, metadata.len).map_err(|error| SystemError::file("read", path, error))?;
    Ok(Some(FileContent { metadata, bytes }))
}

/// A regular file that is open.
pub(super) struct OpenFile {
    file: File,
    metadata: Metadata,
    path: PathBuf,
}

impl OpenFile {
    pub(super) fn new(file: File, path: &Path) -> io::Result<Self> {
        let metadata = describe(&file.metadata()?);
        Ok(Self { file, metadata, path: path.to_owned() })
    }
}

pub(super) fn open(path: &Path) -> Result<Option<OpenFile>, SystemError> {
    let failed = |kind: SystemErrorKind| SystemError::file("read", path, kind);
    // Without `O_NONBLOCK` a pipe that nobody writes to would hold the thread for ever. On regular files
    // the flag has no effect.
    let opened = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path);
    let Some(file) = existing(opened).map_err(|error| failed(error.into()))? else { return Ok(None) };
    let opened = OpenFile::new(file, path).map_err(|error| failed(error.into()))?;
    match opened.metadata.kind {
        FileKind::File => Ok(Some(opened)),
        FileKind::Directory => Err(failed(SystemErrorKind::IsADirectory)),
        FileKind::Symlink | FileKind::Other => Err(failed(SystemErrorKind::NotAFile)),
    }
}

#[async_trait]
impl ReadAt for OpenFile {
    fn metadata(&self) -> &Metadata {
        &self.metadata
    }

    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.map_err(|error| SystemError::file("read", &self.path, error)),
            }
        }
    }
}

/// Asks for one byte more than the file has: a short answer is then the end, and needs no second call.
fn read_all(file: &mut File, len: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The kernel's own files (`/proc`) say that they are empty.
    if len > 0 {
        let len = usize::try_from(len).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        bytes.try_reserve_exact(len.saturating_add(1))?;
        bytes.resize(len.saturating_add(1), 0);
        let mut filled = 0;
        while filled < len {
            match file.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let ended = filled <= len;
        bytes.truncate(filled);
        if ended {
            return Ok(bytes);
        }
    }
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}
