//! What is known of a file without reading it, and its permission bits.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::system::{FileKind, Metadata};

/// Permission bits with set-uid, set-gid and sticky.
pub(super) const MODE_BITS: u32 = 0o7777;

/// Nothing at the path is an answer, also when the path goes on below something that is no directory.
pub(super) fn existing<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

pub(super) fn describe(metadata: &fs::Metadata) -> Metadata {
    Metadata {
        kind: kind(metadata.file_type()),
        mode: metadata.mode() & MODE_BITS,
        uid: metadata.uid(),
        gid: metadata.gid(),
        len: metadata.len(),
        modified: metadata.modified().ok(),
    }
}

pub(super) fn kind(file_type: fs::FileType) -> FileKind {
    if file_type.is_file() {
        FileKind::File
    } else if file_type.is_dir() {
        FileKind::Directory
    } else if file_type.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Other
    }
}

pub(super) fn chmod(path: &Path, mode: u32) -> io::Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode & MODE_BITS))
}
