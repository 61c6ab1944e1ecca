//! A new file that has no name before it is complete.
//!
//! The kernel removes it when its writer ends without giving it a name, however that ends, so it needs no
//! lock and leaves nothing behind. Only names that are free can be given: what exists is replaced by the
//! rename of a [`Temporary`](super::temporary::Temporary).

use std::ffi::OsStr;
use std::fs::File;

use super::open_file::Folder;

/// Creates the file in `folder` with `mode`, less the umask; `None` where there are no such files, or
/// for any reason that creating a file with a name will find as well.
#[cfg(target_os = "linux")]
pub(super) fn create(folder: &Folder, mode: u32) -> Option<File> {
    use rustix::fs::{OFlags, openat};

    use super::stat;

    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    openat(folder, ".", flags, stat::mode(mode)).ok().map(File::from)
}

/// Gives the file its name; says whether that worked.
#[cfg(target_os = "linux")]
pub(super) fn link(file: &File, folder: &Folder, name: &OsStr) -> bool {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};
    use rustix::io::Errno;

    match linkat(file, "", folder, name, AtFlags::EMPTY_PATH) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        // Older kernels want a privilege for that, and none for the name that `/proc` has for the file.
        Err(_) => {
            let path = format!("/proc/self/fd/{}", file.as_raw_fd());
            linkat(CWD, path, folder, name, AtFlags::SYMLINK_FOLLOW).is_ok()
        }
    }
}

/// Only Linux has them.
#[cfg(not(target_os = "linux"))]
pub(super) fn create(_folder: &Folder, _mode: u32) -> Option<File> {
    None
}

/// Never called, as there is no such file.
#[cfg(not(target_os = "linux"))]
pub(super) fn link(_file: &File, _folder: &Folder, _name: &OsStr) -> bool {
    false
}
