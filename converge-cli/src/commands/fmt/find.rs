//! The module files of a folder.

use std::path::{Path, PathBuf};

use converge_core::system::{DirEntry, FileKind, Files, Follow, SystemError};

/// What there is to format, and what could not be looked at.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// In order.
    pub(super) files: Vec<PathBuf>,
    pub(super) errors: Vec<SystemError>,
}

impl Found {
    /// Adds a file as it is, or the `*.hcl` files of a folder and of the folders in it. Links are followed only
    /// when they are `path` itself.
    pub(super) async fn look(&mut self, files: &dyn Files, path: &Path) {
        match files.metadata(path, Follow::Links).await {
            Ok(Some(metadata)) if metadata.kind == FileKind::Directory => self.folder(files, path).await,
            // What is no file, or does not exist, is told when it is read.
            Ok(_) => self.files.push(path.to_owned()),
            Err(error) => self.errors.push(error),
        }
    }

    async fn folder(&mut self, files: &dyn Files, folder: &Path) {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = match files.read_dir(&folder).await {
                Ok(entries) => entries,
                Err(error) => {
                    self.errors.push(error);
                    continue;
                }
            };
            for DirEntry { path, kind } in entries {
                let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
                match kind {
                    _ if hidden => {}
                    FileKind::Directory => folders.push(path),
                    FileKind::File if path.extension().is_some_and(|extension| extension == "hcl") => {
                        self.files.push(path.strip_prefix(".").map(Path::to_owned).unwrap_or(path));
                    }
                    FileKind::File | FileKind::Symlink | FileKind::Other => {}
                }
            }
        }
        self.files.sort();
    }
}
