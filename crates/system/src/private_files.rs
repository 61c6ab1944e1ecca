//! Files and folders that are for this user alone, and their locks.
#![expect(clippy::disallowed_methods, reason = "the state is where the program runs, not on the system")]

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;

/// Nobody else may look into it: names may say more than they should.
#[cfg(unix)]
const MODE: u32 = 0o700;

/// Makes a folder, and those above it.
#[cfg(unix)]
pub fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;

    DirBuilder::new().recursive(true).mode(MODE).create(folder)
}

/// Makes a folder, and those above it. They are in the profile of the user, which is closed to others.
#[cfg(windows)]
pub fn create_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).create(folder)
}

/// Opens a file, which is made where it is not there, and no link.
pub fn open(path: &Path) -> io::Result<File> {
    only_ours(File::options().read(true).write(true).create(true).truncate(false)).open(path)
}

/// Makes a file anew, in place of one that is there.
pub fn create(path: &Path) -> io::Result<File> {
    only_ours(File::options().write(true).create(true).truncate(true)).open(path)
}

/// Opens a file that is there, and no link, for reading.
pub fn open_to_read(path: &Path) -> io::Result<File> {
    only_ours(File::options().read(true)).open(path)
}

#[cfg(unix)]
fn only_ours(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;

    options.mode(MODE & 0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
}

/// A link in the profile is one of the user.
#[cfg(windows)]
fn only_ours(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Takes the lock of a file, which ends with the process; says whether that worked, as somebody else may have it.
pub fn try_lock(file: &File) -> io::Result<bool> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Reads from the beginning of a file.
#[cfg(unix)]
pub fn read_first(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, 0)
}

/// Reads from the beginning of a file.
#[cfg(windows)]
pub fn read_first(file: &File, bytes: &mut [u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, 0)
}

/// Writes to the beginning of a file.
#[cfg(unix)]
pub fn write_first(file: &File, bytes: &[u8]) -> io::Result<usize> {
    std::os::unix::fs::FileExt::write_at(file, bytes, 0)
}

/// Writes to the beginning of a file.
#[cfg(windows)]
pub fn write_first(file: &File, bytes: &[u8]) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_write(file, bytes, 0)
}
