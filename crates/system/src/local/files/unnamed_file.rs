//! New files that have no name until they are complete.
//!
//! The kernel removes such a file when its writer ends without naming it. It therefore needs no lock and
//! leaves nothing behind. It can only get an unused name; an existing file is replaced by renaming a
//! [`Temporary`](super::temporary::Temporary).

use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::sync::Arc;

use super::super::pool::PIECE;
use super::super::system_state::Shared;
use super::open_file::Folder;
use super::stat::Outcome;

/// Appends bytes to a file that will then have `len` bytes.
pub(super) async fn append(file: &Arc<File>, len: u64, bytes: &[u8], shared: &Shared) -> Outcome<()> {
    if !shared.pool.is_large(len) {
        return Ok((&**file).write_all(bytes)?);
    }
    for piece in bytes.chunks(PIECE) {
        let (file, piece) = (Arc::clone(file), piece.to_vec());
        shared.pool.run(move |_| Ok((&*file).write_all(&piece)?)).await?;
    }
    Ok(())
}

/// Creates the file in `folder` with `mode` less the umask.
///
/// Returns `None` if unnamed files are not supported, and on any other error, which creating a named file
/// would report too.
#[cfg(target_os = "linux")]
pub(super) fn create(folder: &Folder, mode: u32) -> Option<File> {
    use rustix::fs::{OFlags, openat};

    use super::stat;

    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    openat(folder, ".", flags, stat::mode(mode)).ok().map(File::from)
}

/// Gives the file a name.
///
/// Returns whether that succeeded.
#[cfg(target_os = "linux")]
pub(super) fn link(file: &File, folder: &Folder, name: &OsStr) -> bool {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    use rustix::io::Errno;

    match linkat(file, "", folder, name, AtFlags::EMPTY_PATH) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        // Older kernels require a privilege for that. The name of the file in `/proc` needs none.
        Err(_) => {
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            linkat(CWD, path, folder, name, AtFlags::SYMLINK_FOLLOW).is_ok()
        }
    }
}

/// Returns `None`: only Linux has unnamed files.
#[cfg(not(target_os = "linux"))]
pub(super) fn create(_folder: &Folder, _mode: u32) -> Option<File> {
    None
}

/// Never called, as there are no unnamed files.
#[cfg(not(target_os = "linux"))]
pub(super) fn link(_file: &File, _folder: &Folder, _name: &OsStr) -> bool {
    false
}
