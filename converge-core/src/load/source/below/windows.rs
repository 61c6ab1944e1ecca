//! A path is resolved, and looked at before it is opened.

use std::fs::{File, canonicalize};
use std::io;
use std::path::{Path, PathBuf};

use super::file::expect_file;

/// A directory, by its path without links.
#[derive(Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let root = canonicalize(path)?;
        if root.is_dir() { Ok(Self(root)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    /// Opens what is a file, and nothing else. What is outside is an error of the kind `CrossesDevices`.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let found = canonicalize(self.0.join(name))?;
        if !found.starts_with(&self.0) {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        expect_file(&std::fs::metadata(&found)?)?;
        let file = File::open(&found)?;
        expect_file(&file.metadata()?)?;
        Ok(file)
    }
}
