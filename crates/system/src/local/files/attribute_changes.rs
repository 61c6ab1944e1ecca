//! Changes of attributes through open handles, creation of directories, and removal of files.

use std::ffi::OsStr;

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, mkdirat, unlinkat};

use super::super::system_state::Shared;
use super::open_file::{Folder, HOLD, PathHandle};
use super::stat::{self, MODE_BITS, Outcome};
use crate::{FileKind, Ownership, SystemErrorKind};

pub(super) fn set_mode(handle: &PathHandle, mode: u32) -> Outcome<()> {
    if handle.metadata.kind == FileKind::Symlink {
        return Err(SystemErrorKind::InvalidPath);
    }
    give_mode(handle, stat::mode(mode))
}

#[cfg(target_os = "linux")]
fn give_mode(handle: &PathHandle, mode: Mode) -> Outcome<()> {
    use std::os::fd::AsRawFd as _;

    use rustix::fs::{chmod, fchmod};

    // No system call changes the mode of an `O_PATH` handle, but its name in `/proc` can lead nowhere else.
    match chmod(format!("/proc/self/fd/{}", handle.fd.as_raw_fd()), mode) {
        // Without `/proc`, a directory can be opened through its handle.
        Err(rustix::io::Errno::NOENT) if handle.is_dir() => {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(fchmod(rustix::fs::openat(&handle.fd, ".", flags, Mode::empty())?, mode)?)
        }
        Err(rustix::io::Errno::NOENT) => Err(SystemErrorKind::Other(
            "/proc is not mounted, and the mode cannot be changed without it".to_owned(),
        )),
        changed => Ok(changed?),
    }
}

/// Handles are regular open files on macOS.
#[cfg(target_os = "macos")]
fn give_mode(held: &PathHandle, mode: Mode) -> Outcome<()> {
    Ok(rustix::fs::fchmod(&held.fd, mode)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn give_mode(held: &PathHandle, mode: Mode) -> Outcome<()> {
    Ok(rustix::fs::chmodat(&held.fd, "", mode, AtFlags::EMPTY_PATH)?)
}

pub(super) fn set_ownership(handle: &PathHandle, ownership: Ownership) -> Outcome<()> {
    let (uid, gid) = ids(ownership)?;
    give_owner(handle, uid, gid)
}

#[cfg(not(target_os = "macos"))]
fn give_owner(handle: &PathHandle, uid: Option<Uid>, gid: Option<Gid>) -> Outcome<()> {
    Ok(rustix::fs::chownat(&handle.fd, "", uid, gid, AtFlags::EMPTY_PATH)?)
}

#[cfg(target_os = "macos")]
fn give_owner(held: &PathHandle, uid: Option<Uid>, gid: Option<Gid>) -> Outcome<()> {
    Ok(rustix::fs::fchown(&held.fd, uid, gid)?)
}

/// Converts the ids for a system call.
///
/// The maximum value is refused, as it would mean no change.
pub(super) fn ids(ownership: Ownership) -> Outcome<(Option<Uid>, Option<Gid>)> {
    let Ownership { uid, gid } = ownership;
    if uid == Some(u32::MAX) || gid == Some(u32::MAX) {
        return Err(SystemErrorKind::Other(format!("{} is nobody's id", u32::MAX)));
    }
    Ok((uid.map(Uid::from_raw), gid.map(Gid::from_raw)))
}

pub(super) fn create_dir(folder: &Folder, name: &OsStr, mode: u32) -> Outcome<()> {
    let mode = mode & MODE_BITS;
    // Until the directory has its final mode, it must not grant more.
    mkdirat(folder, name, stat::mode(mode & 0o777))?;
    let finish = || -> Outcome<()> {
        let handle = PathHandle::new(folder.open(without_slashes(name), HOLD | OFlags::DIRECTORY)?)?;
        // The umask and a set-gid parent affect the mode that `mkdir` sets.
        if handle.metadata.mode == mode { Ok(()) } else { set_mode(&handle, mode) }
    };
    finish().inspect_err(|_| {
        // The first error is the one to report.
        let _ = unlinkat(folder, name, AtFlags::REMOVEDIR);
    })
}

/// Removes anything but a directory.
///
/// A blocking thread removes large files, as freeing their space takes time.
pub(super) async fn remove_file(folder: Folder, name: &OsStr, shared: &Shared) -> Outcome<()> {
    // With a trailing slash, the name of a link would refer to its target.
    let metadata = folder.look(without_slashes(name))?;
    let is_large = metadata.is_some_and(|metadata| metadata.links == 1 && shared.pool.is_large(metadata.len));
    if !is_large {
        return Ok(unlinkat(&folder, name, AtFlags::empty())?);
    }
    let name = name.to_owned();
    shared.pool.run(move |_| Ok(unlinkat(&folder, &name, AtFlags::empty())?)).await
}

fn without_slashes(name: &OsStr) -> &OsStr {
    use std::os::unix::ffi::OsStrExt as _;

    let bytes = name.as_bytes();
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    OsStr::from_bytes(&bytes[..end])
}
