//! Files that other users must not read or write.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A reason why a file is refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("cannot read {}: {error}", .file.display())]
    Read { file: PathBuf, error: io::Error },
    #[error("other users can read {}, which holds a secret: chmod 600 {}", .file.display(), .file.display())]
    Readable { file: PathBuf },
    #[error("other users can write {}, which controls access: chmod go-w {}", .file.display(), .file.display())]
    Writable { file: PathBuf },
    #[error("{} belongs to user {owner}, who could change it", .file.display())]
    Owner { file: PathBuf, owner: u32 },
}

/// The permission bits of group and others.
const READ: u32 = 0o044;
const WRITE: u32 = 0o022;

/// Reads a file with a secret.
///
/// A file that other users can read is refused.
pub(crate) fn read_secret(file: &Path) -> Result<Vec<u8>, FileError> {
    read(file, READ | WRITE, None, |file| FileError::Readable { file })
}

/// Like [`read_secret`], but also accepts this owner, for root that reads files of another user.
pub(crate) fn read_secret_of(owner: u32, file: &Path) -> Result<Vec<u8>, FileError> {
    read(file, READ | WRITE, Some(owner), |file| FileError::Readable { file })
}

/// Reads a file that others may read but not write.
pub(crate) fn read_trusted(file: &Path) -> Result<Vec<u8>, FileError> {
    read(file, WRITE, None, |file| FileError::Writable { file })
}

fn read(
    path: &Path,
    forbidden: u32,
    also: Option<u32>,
    refused: impl Fn(PathBuf) -> FileError,
) -> Result<Vec<u8>, FileError> {
    let failed = |error| FileError::Read { file: path.to_owned(), error };
    let mut file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    // The mode of a non-file, such as a pipe, has no meaning.
    if metadata.is_file() {
        if metadata.mode() & forbidden != 0 {
            return Err(refused(path.to_owned()));
        }
        let owner = metadata.uid();
        if owner != 0 && owner != rustix::process::geteuid().as_raw() && Some(owner) != also {
            return Err(FileError::Owner { file: path.to_owned(), owner });
        }
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Returns the first line of a text without surrounding space.
pub(crate) fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn files_of_others_and_for_others() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "text\nmore").unwrap();
        let check = |mode: u32, secret: bool, trusted: bool| {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            assert_eq!(read_secret(&path).is_ok(), secret, "{mode:o}");
            assert_eq!(read_trusted(&path).is_ok(), trusted, "{mode:o}");
        };
        check(0o600, true, true);
        check(0o400, true, true);
        check(0o644, false, true);
        check(0o640, false, true);
        check(0o620, false, false);
        check(0o602, false, false);
        assert_eq!(first_line(&fs::read(&path).unwrap()), "text");
    }
}
