//! Hard links to files.

use std::ffi::OsStr;
use std::path::Path;

use rustix::io::Errno;
#[cfg(target_os = "linux")]
use rustix::process::geteuid;

use super::super::path_root::PathRoot;
use super::open_file::{Folder, PathHandle};
use super::path_lookup;
use super::path_walk::owner;
use super::stat::{Outcome, expect_file};
use crate::{Follow, SystemErrorKind};

/// Opens a handle of the file that is to be linked.
///
/// A file with a name that another user may have created is refused, so that the user does not gain a further
/// name.
pub(super) fn hold(place: &PathRoot, existing: &Path) -> Outcome<PathHandle> {
    let handle = path_lookup::hold_for_change(place, existing, Follow::Never)?;
    expect_file(handle.metadata.kind)?;
    Ok(handle)
}

/// Gives the file of the handle an unused name.
pub(super) fn link(file: &PathHandle, folder: &Folder, name: &OsStr) -> Outcome<()> {
    give_name(file, folder, name).map_err(|error| match error {
        Errno::XDEV => SystemErrorKind::OtherFileSystem,
        Errno::PERM if is_protected(file) => {
            SystemErrorKind::ProtectedFile(Box::new(owner(file.metadata.uid)))
        }
        error => error.into(),
    })
}

#[cfg(target_os = "linux")]
fn give_name(file: &PathHandle, folder: &Folder, name: &OsStr) -> Result<(), Errno> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{AtFlags, CWD, linkat};

    match linkat(&file.fd, "", folder, name, AtFlags::EMPTY_PATH) {
        // Without privileges `linkat` reports a missing file. The name of the handle in `/proc` needs no
        // privilege.
        Err(Errno::NOENT) => {
            let path = format!("/proc/self/fd/{}", file.fd.as_raw_fd());
            linkat(CWD, path, folder, name, AtFlags::SYMLINK_FOLLOW)
        }
        linked => linked,
    }
}

/// Links the file by the name that the kernel reports, and verifies the result.
///
/// macOS cannot link a handle.
#[cfg(target_os = "macos")]
fn give_name(file: &PathHandle, folder: &Folder, name: &OsStr) -> Result<(), Errno> {
    use rustix::fs::{AtFlags, CWD, linkat, unlinkat};

    let path = rustix::fs::getpath(&file.fd)?;
    linkat(CWD, &path, folder, name, AtFlags::empty())?;
    if folder.inode(name).is_ok_and(|made| made == Some(file.inode())) {
        return Ok(());
    }
    unlinkat(folder, name, AtFlags::empty())?;
    Err(Errno::AGAIN)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn give_name(file: &PathHandle, folder: &Folder, name: &OsStr) -> Result<(), Errno> {
    rustix::fs::linkat(&file.fd, "", folder, name, rustix::fs::AtFlags::EMPTY_PATH)
}

/// Whether the `protected_hardlinks` setting refuses the file.
///
/// It concerns files of other users.
#[cfg(target_os = "linux")]
fn is_protected(file: &PathHandle) -> bool {
    const SETTING: &str = "/proc/sys/fs/protected_hardlinks";

    file.metadata.uid != geteuid().as_raw()
        && std::fs::read(SETTING).is_ok_and(|setting| setting.trim_ascii() != b"0")
}

/// Returns false: only Linux has the setting.
#[cfg(not(target_os = "linux"))]
fn is_protected(_file: &PathHandle) -> bool {
    false
}
