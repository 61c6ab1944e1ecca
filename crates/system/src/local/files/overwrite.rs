//! Overwriting existing files through open handles.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use rustix::fs::{OFlags, ftruncate};

use super::super::system_state::Shared;
use super::path_lookup;
use super::stat::{Outcome, expect_file};
use crate::{FileKind, Follow, SpecialFile, SystemErrorKind};

/// The flags for writing.
///
/// Slow devices must not block the thread, and no terminal may become the controlling one.
pub(super) const WRITE: OFlags =
    OFlags::WRONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub(super) async fn write(path: &Path, content: &[u8], shared: &Shared) -> Outcome<()> {
    let handle = path_lookup::hold_for_change(&shared.place, path, Follow::Links)?;
    let is_device = match handle.metadata.kind {
        FileKind::Special(SpecialFile::CharacterDevice | SpecialFile::BlockDevice) => true,
        kind => {
            expect_file(kind)?;
            false
        }
    };
    match shared.file_size_limit {
        Some(limit) if content.len() as u64 > limit => return Err(SystemErrorKind::FileTooLarge(limit)),
        _ => {}
    }
    let file = handle.open_again(WRITE)?;
    // A file that is longer than the new content is truncated. Kernel files have no length and are not.
    let cut = !is_device && handle.metadata.len > content.len() as u64;
    if !is_device && !shared.pool.is_large(content.len() as u64) && !shared.pool.is_large(handle.metadata.len)
    {
        put(&file, content, cut)?;
        return shared.pool.run(move |_| sync(&file)).await;
    }
    // A device may block for any time.
    let content = content.to_vec();
    let write = move |_: &_| {
        put(&file, &content, cut)?;
        sync(&file)
    };
    shared.pool.run(write).await
}

/// Writes the content, then truncates the file.
///
/// In this order, a full disk accepts content that is not longer than before.
fn put(mut file: &File, content: &[u8], cut: bool) -> Outcome<()> {
    file.write_all(content)?;
    if cut {
        ftruncate(file, content.len() as u64)?;
    }
    Ok(())
}

/// Flushes the file.
///
/// Files that are not on a disk have nothing to flush.
pub(super) fn sync(file: &File) -> Outcome<()> {
    match file.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => Ok(synced?),
    }
}
