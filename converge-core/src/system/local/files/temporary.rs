//! The temporary file that becomes the new content of a target by a rename.
//!
//! It is named `.NAME.converge-tmp`, after its target and in the same directory, and its writer holds a
//! lock on it, which ends with the writer however that ends. So what a killed run left behind is found
//! by the next write of the same target for the price of one `flock`, and removed. When the name is taken
//! by a writer that lives, or by something that is not ours, the name gets the process id and a number.
//! Such a file is left behind only if its writer is killed while two write the same target at once.
//!
//! The lock decides who may rename or remove the name: only who holds the lock of the file that has the
//! name *now*. A writer that finds its file unlinked after locking it has lost it to another one that
//! took it for a leftover, in the moment between creating and locking.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use nix::fcntl::OFlag;

const SUFFIX: &str = ".converge-tmp";

/// With dot, suffix, process id and number this stays below the 255 bytes of a name.
const NAME_BYTES: usize = 180;

/// How many names are tried before giving up on a directory where all of them are taken.
const ATTEMPTS: usize = 100;

/// A locked, empty file beside its target. Removed when dropped, unless it was renamed.
pub(super) struct Temporary {
    file: File,
    path: PathBuf,
    metadata: fs::Metadata,
    renamed: bool,
}

impl Temporary {
    /// Creates the file with `mode`, less the umask.
    pub(super) fn create(target: &Path, mode: u32) -> io::Result<Self> {
        // Only an empty path, or `..` below something that does not exist, comes here without a name.
        let name = target.file_name().ok_or(io::ErrorKind::NotFound)?;
        let usual = target.with_file_name(usual_name(name));
        if let Some(created) = attempt(&usual, mode)? {
            return Ok(created);
        }
        if remove_leftover(&usual)
            && let Some(created) = attempt(&usual, mode)?
        {
            return Ok(created);
        }
        for _ in 0..ATTEMPTS {
            if let Some(created) = attempt(&numbered(&usual), mode)? {
                return Ok(created);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// As of when it was created.
    pub(super) fn metadata(&self) -> &fs::Metadata {
        &self.metadata
    }

    /// Gives the file the name of its target. The lock is held until then, and not longer.
    pub(super) fn rename(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            // There is an error to report already; the next write of this target tries again.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Creates and locks; `None` when the name is taken, or was lost before it could be locked.
fn attempt(path: &Path, mode: u32) -> io::Result<Option<Temporary>> {
    let file = match OpenOptions::new().write(true).create_new(true).mode(mode).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
        Err(error) => return Err(error),
    };
    let locked = match file.try_lock() {
        Ok(()) => true,
        Err(fs::TryLockError::WouldBlock) => return Ok(None),
        // A file system without locks: no other process can take the file for a leftover either.
        Err(fs::TryLockError::Error(_)) => false,
    };
    let metadata = file.metadata()?;
    let lost = locked && metadata.nlink() == 0;
    Ok((!lost).then(|| Temporary { file, path: path.to_owned(), metadata, renamed: false }))
}

/// Removes what a killed run left of a write to `target`.
pub(super) fn clear(target: &Path) {
    if let Some(name) = target.file_name() {
        remove_leftover(&target.with_file_name(usual_name(name)));
    }
}

/// Removes a temporary file whose writer is gone; says whether the name is free now.
fn remove_leftover(path: &Path) -> bool {
    // Whatever may have been put there, opening it neither follows a link nor waits for a pipe.
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let opened = OpenOptions::new().write(true).custom_flags(flags.bits()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) => return error.kind() == io::ErrorKind::NotFound,
    };
    if file.try_lock().is_err() {
        return false;
    }
    let (Ok(ours), Ok(named)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    // From here nobody else changes the name, as that takes the lock that `file` holds until the end.
    ours.is_file() && (ours.dev(), ours.ino()) == (named.dev(), named.ino()) && fs::remove_file(path).is_ok()
}

/// Two targets whose long names are cut to the same one only meet as two writers of one target would.
fn usual_name(target: &OsStr) -> OsString {
    let bytes = target.as_bytes();
    let mut end = bytes.len().min(NAME_BYTES);
    // Some file systems refuse names that are not UTF-8: do not cut through a character.
    while end < bytes.len() && end > NAME_BYTES - 4 && bytes[end] & 0b1100_0000 == 0b1000_0000 {
        end -= 1;
    }
    let mut name = Vec::with_capacity(1 + end + SUFFIX.len());
    name.push(b'.');
    name.extend_from_slice(&bytes[..end]);
    name.extend_from_slice(SUFFIX.as_bytes());
    OsString::from_vec(name)
}

fn numbered(usual: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut path = usual.as_os_str().to_owned();
    path.push(format!(".{}.{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    path.into()
}
