//! Reading: one `open`, one `fstat`, one `read` and one `close`.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;

use super::{describe, there};
use crate::system::{FileContent, FileKind, SystemError, SystemErrorKind};

pub(super) fn read(path: &Path) -> Result<Option<FileContent>, SystemError> {
    let failed = |kind: SystemErrorKind| SystemError::file("read", path, kind);
    // Without `O_NONBLOCK` a pipe that nobody writes to would hold the thread for ever. On regular files
    // the flag has no effect.
    let opened = OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open(path);
    let Some(mut file) = there(opened).map_err(|error| failed(error.into()))? else { return Ok(None) };
    let metadata = describe(&file.metadata().map_err(|error| failed(error.into()))?);
    match metadata.kind {
        FileKind::File => {}
        FileKind::Directory => return Err(failed(SystemErrorKind::IsADirectory)),
        FileKind::Symlink | FileKind::Other => return Err(failed(SystemErrorKind::NotAFile)),
    }
    let bytes = read_all(&mut file, metadata.len).map_err(|error| failed(error.into()))?;
    Ok(Some(FileContent { metadata, bytes }))
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
