//! Reading: a whole file with one `open`, one `fstat`, one `read` and one `close`, or a file piece by piece.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use rustix::fs::fstat;

use super::held::{Held, READ};
use super::reach;
use super::stat::{describe, there};
use crate::system::{FileContent, Metadata, ReadAt, SystemError};

pub(super) fn read(path: &Path, most: u64) -> Result<Option<FileContent>, SystemError> {
    let opened = there(reach::open_file(path, READ)).map_err(|kind| SystemError::file("read", path, kind))?;
    let Some(Held { fd, metadata, .. }) = opened else { return Ok(None) };
    let bytes = read_all(&mut File::from(fd), metadata.len, most);
    let bytes = bytes.map_err(|error| SystemError::file("read", path, error))?;
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
        let metadata = describe(&fstat(&file)?);
        Ok(Self { file, metadata, path: path.to_owned() })
    }

    pub(super) fn held(held: Held, path: &Path) -> Self {
        Self { file: held.fd.into(), metadata: held.metadata, path: path.to_owned() }
    }
}

pub(super) fn open(path: &Path) -> Result<Option<OpenFile>, SystemError> {
    let opened = there(reach::open_file(path, READ)).map_err(|kind| SystemError::file("read", path, kind))?;
    Ok(opened.map(|held| OpenFile::held(held, path)))
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
fn read_all(file: &mut File, len: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // The kernel's own files (`/proc`) say that they are empty.
    if len > 0 {
        let len = usize::try_from(len.min(most)).map_err(|_| io::Error::from(io::ErrorKind::FileTooLarge))?;
        let room =
            usize::try_from(most).map_or(len.saturating_add(1), |most| most.min(len.saturating_add(1)));
        bytes.try_reserve_exact(room)?;
        bytes.resize(room, 0);
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
    file.take(most.saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
    Ok(bytes)
}
