//! The Windows implementation, which resolves a path and checks it before opening.

use std::ffi::OsString;
use std::fs::{File, canonicalize};
use std::io;
use std::path::{Path, PathBuf};

use super::file::expect_file;

/// A directory by its path without links.
#[derive(Debug)]
pub(super) struct Root(PathBuf);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let root = canonicalize(path)?;
        if root.is_dir() { Ok(Self(root)) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    /// Opens a regular file; a path that leads outside fails with the kind `CrossesDevices`.
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

    /// Lists the files and folders in a folder, each with whether it is a folder.
    ///
    /// At most one entry more than `most` is returned. A path that leads outside fails with the kind
    /// `CrossesDevices`.
    pub(super) fn list(&self, folder: &str, most: usize) -> io::Result<Vec<(OsString, bool)>> {
        let opened = canonicalize(self.0.join(folder))?;
        if !opened.starts_with(&self.0) {
            return Err(io::ErrorKind::CrossesDevices.into());
        }
        let mut found = Vec::new();
        for entry in std::fs::read_dir(&opened)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() || kind.is_file() {
                found.push((entry.file_name(), kind.is_dir()));
            }
            if found.len() > most {
                break;
            }
        }
        Ok(found)
    }
}
