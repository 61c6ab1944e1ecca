//! Private files and folders of this user, and locks on them.
#![expect(clippy::disallowed_methods, reason = "the state is where the program runs, not on the system")]

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// The mode of folders.
///
/// Nobody else may list them, as names may be confidential.
#[cfg(unix)]
const MODE: u32 = 0o700;

/// Creates a folder and its parents.
#[cfg(unix)]
pub fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    DirBuilder::new().recursive(true).mode(MODE).create(folder)
}

/// Creates a folder and its parents.
///
/// They are in the user's profile, which is closed to others.
#[cfg(windows)]
pub fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

/// Opens a file for reading and writing, and creates it if necessary.
///
/// Does not follow a link.
pub fn open(path: &Path) -> io::Result<File> {
    private_options(File::options().read(true).write(true).create(true).truncate(false)).open(path)
}

/// Creates a file, or truncates an existing one.
pub fn create(path: &Path) -> io::Result<File> {
    private_options(File::options().write(true).create(true).truncate(true)).open(path)
}

/// Opens an existing file for reading.
///
/// Does not follow a link.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    private_options(File::options().read(true)).open(path)
}

#[cfg(unix)]
fn private_options(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    options.mode(MODE & 0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
}

/// Does nothing: links in the user's profile belong to the user.
#[cfg(windows)]
fn private_options(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Takes the lock of a file until the process ends.
///
/// Returns false if somebody else has it.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

#[cfg(unix)]
pub fn read_first(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, 0)
}

#[cfg(windows)]
pub fn read_first(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, 0)
}

#[cfg(unix)]
pub fn write_first(file: &File, bytes: &[u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, 0)
}

#[cfg(windows)]
pub fn write_first(file: &File, bytes: &[u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, 0)
}
