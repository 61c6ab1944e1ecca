//! A new file that has no name before it is complete.
//!
//! The kernel removes it when its writer ends without giving it a name, however that ends, so it needs no
//! lock and leaves nothing behind. Only names that are free can be given: what exists is replaced by the
//! rename of a [`Temporary`](super::temporary::Temporary).

use std::fs::File;
use std::path::Path;

/// Creates the file in `directory` with `mode`, less the umask; `None` where there are no such files, or
/// for any reason that creating a file with a name will find as well.
#[cfg(target_os = "linux")]
pub(super) fn create(directory: &Path, mode: u32) -> Option<File> {
    use std::os::unix::fs::OpenOptionsExt;

    let flags = nix::fcntl::OFlag::O_TMPFILE.bits();
    std::fs::OpenOptions::new().read(true).write(true).mode(mode).custom_flags(flags).open(directory).ok()
}

/// Gives the file its name; says whether that worked.
#[cfg(target_os = "linux")]
pub(super) fn link(file: &File, target: &Path) -> bool {
    use std::os::fd::AsRawFd;

    use nix::errno::Errno;
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use nix::unistd::linkat;

    match linkat(file, "", AT_FDCWD, target, AtFlags::AT_EMPTY_PATH) {
        Ok(()) => true,
        Err(Errno::EEXIST) => false,
        // Older kernels want a privilege for that, and none for the name that `/proc` has for the file.
        Err(_) => {
            let name = format!("/proc/self/fd/{}", file.as_raw_fd());
            linkat(AT_FDCWD, name.as_str(), AT_FDCWD, target, AtFlags::AT_SYMLINK_FOLLOW).is_ok()
        }
    }
}

/// Only Linux has them.
#[cfg(not(target_os = "linux"))]
pub(super) fn create(_directory: &Path, _mode: u32) -> Option<File> {
    None
}

/// Never called, as there is no such file.
#[cfg(not(target_os = "linux"))]
pub(super) fn link(_file: &File, _target: &Path) -> bool {
    false
}
