//! Unnamed scratch files.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use rustix::fs::{AtFlags, OFlags, openat, unlinkat};

use super::super::path_root::PathRoot;
use super::super::system_state::Shared;
use super::open_file::{Folder, HOLD};
use super::read::OpenFile;
use super::stat::{Outcome, mode};
use super::{path_lookup, temporary_name, unnamed_file};
use crate::{ReadAt, ScratchFile, SystemError, SystemErrorKind};

/// A directory with room for large files, which need not survive.
const USUAL: &str = "/var/tmp";

const MODE: u32 = 0o600;

pub(super) struct Scratch {
    file: Arc<File>,
    written: u64,
    directory: PathBuf,
    shared: Arc<Shared>,
}

/// Creates a scratch file in the temporary directory of the machine.
///
/// The root of the system does not matter, as nobody can name the file.
pub(super) fn create(shared: &Arc<Shared>) -> Result<Scratch, SystemError> {
    let (file, directory) = unnamed()?;
    Ok(Scratch { file, written: 0, directory, shared: Arc::clone(shared) })
}

/// Creates an unnamed file in a temporary directory, and returns it with that directory.
pub(super) fn unnamed() -> Result<(Arc<File>, PathBuf), SystemError> {
    let mut failed = None;
    for directory in
        std::env::var_os("TMPDIR").map(PathBuf::from).into_iter().chain([USUAL.into(), "/tmp".into()])
    {
        match create_in(&directory) {
            Ok(file) => return Ok((Arc::new(file), directory)),
            Err(error) => {
                failed
                    .get_or_insert_with(|| SystemError::file("create a temporary file in", directory, error));
            }
        }
    }
    Err(failed
        .unwrap_or_else(|| SystemError::file("create a temporary file in", USUAL, SystemErrorKind::NotFound)))
}

fn create_in(directory: &Path) -> Outcome<File> {
    let folder = Folder::from(path_lookup::open_folder(&PathRoot::default(), directory, HOLD)?);
    unnamed_file::create(&folder, MODE).map_or_else(|| create_unlinked(&folder), Ok)
}

/// Creates a named file and unlinks it at once, for file systems without unnamed files.
fn create_unlinked(folder: &Folder) -> Outcome<File> {
    let name = temporary_name::random_name()?;
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(folder, &name, flags, mode(MODE))?;
    unlinkat(folder, &name, AtFlags::empty())?;
    Ok(file.into())
}

#[async_trait]
impl ScratchFile for Scratch {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        self.written = self.written.saturating_add(bytes.len() as u64);
        let result = unnamed_file::append(&self.file, self.written, bytes, &self.shared).await;
        result.map_err(|kind| SystemError::file("write a temporary file in", &self.directory, kind))
    }

    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError> {
        let opened = OpenFile::new(Arc::clone(&self.file), &self.directory, &self.shared);
        let failed = |error| SystemError::file("read a temporary file in", &self.directory, error);
        Ok(Box::new(opened.map_err(failed)?))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if self.shared.pool.is_large(self.written) {
            self.shared.pool.close(Arc::clone(&self.file));
        }
    }
}
