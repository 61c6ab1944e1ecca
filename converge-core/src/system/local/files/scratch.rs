//! Files without a name that are not meant to get one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::read::OpenFile;
use super::unnamed;
use crate::system::{ReadAt, ScratchFile, SystemError, SystemErrorKind};

/// Where there is room for large files, and what is there does not have to survive.
const USUAL: &str = "/var/tmp";

pub(super) struct Scratch {
    file: File,
    directory: PathBuf,
}

/// Creates a file in the directory for temporary files.
pub(super) fn create() -> Result<Scratch, SystemError> {
    let mut failed = None;
    for directory in
        std::env::var_os("TMPDIR").map(PathBuf::from).into_iter().chain([USUAL.into(), "/tmp".into()])
    {
        match unnamed::create(&directory, 0o600).map_or_else(|| named(&directory), Ok) {
            Ok(file) => return Ok(Scratch { file, directory }),
            Err(error) => {
                failed
                    .get_or_insert_with(|| SystemError::file("create a temporary file in", directory, error));
            }
        }
    }
    Err(failed
        .unwrap_or_else(|| SystemError::file("create a temporary file in", USUAL, SystemErrorKind::NotFound)))
}

/// Where all files have names: one that is taken away at once.
fn named(directory: &Path) -> io::Result<File> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = directory.join(format!(".converge-scratch.{}.{number}", std::process::id()));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

#[async_trait]
impl ScratchFile for Scratch {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), SystemError> {
        let written = self.file.write_all(bytes);
        written.map_err(|error| SystemError::file("write a temporary file in", &self.directory, error))
    }

    async fn read(self: Box<Self>) -> Result<Box<dyn ReadAt>, SystemError> {
        let Self { file, directory } = *self;
        let opened = OpenFile::new(file, &directory);
        Ok(Box::new(opened.map_err(|error| SystemError::file("read a temporary file in", directory, error))?))
    }
}
