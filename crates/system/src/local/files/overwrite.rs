//! Writing into a file that is there, by what is held of it.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use rustix::fs::{OFlags, ftruncate};

use super::super::system_state::Shared;
use super::path_lookup;
use super::stat::{Outcome, expect_file};
use crate::{FileKind, Follow, SpecialFile, SystemErrorKind};

/// Opens for writing. Nothing that answers late, and no terminal, may hold the thread or become ours.
const WRITE: OFlags = OFlags::WRONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub(super) async fn write(path: &Path, content: &[u8], shared: &Shared) -> Outcome<()> {
    let held = path_lookup::hold_for_change(&shared.place, path, Follow::Links)?;
    let is_device = match held.metadata.kind {
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
    let file = held.open_again(WRITE)?;
    // What is longer than the content afterwards is cut: what has no length, as files of the kernel have none, never is.
    let cut = !is_device && held.metadata.len > content.len() as u64;
    if !is_device && !shared.pool.is_large(content.len() as u64) && !shared.pool.is_large(held.metadata.len) {
        put(&file, content, cut)?;
        return shared.pool.run(move |_| sync(&file)).await;
    }
    // A device answers when it wants to.
    let content = content.to_vec();
    let write = move |_: &_| {
        put(&file, &content, cut)?;
        sync(&file)
    };
    shared.pool.run(write).await
}

/// The old bytes are written over before the file is cut, so that a disk that is full takes what is no longer than it was.
fn put(mut file: &File, content: &[u8], cut: bool) -> Outcome<()> {
    file.write_all(content)?;
    if cut {
        ftruncate(file, content.len() as u64)?;
    }
    Ok(())
}

/// What is no place on a disk has nothing to wait for.
fn sync(file: &File) -> Outcome<()> {
    match file.sync_all() {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        synced => Ok(synced?),
    }
}
