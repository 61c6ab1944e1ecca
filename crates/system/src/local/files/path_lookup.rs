//! Path resolution: a path is resolved once, and all operations use the resulting handle.
//!
//! Nearly all paths contain neither a link nor `..`. One system call resolves these, and fails if there is a
//! link after all. Only then the path is [walked](super::walk).

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::super::path_root::PathRoot;
use super::open_file::{Folder, HOLD, PathHandle};
use super::path_walk::{WalkResult, owner, trust, walk};
use super::stat::{Outcome, expect_file};
use super::temporary_name;
use crate::{FileKind, Follow, ForeignName, Metadata, SystemErrorKind};

/// The number of attempts if a file is replaced by another one in between.
const ATTEMPTS: usize = 16;

/// A name in a directory, and the file that currently has it.
pub(super) struct Target {
    pub(super) folder: Folder,
    pub(super) name: OsString,
    pub(super) existing: Option<Metadata>,
}

/// Opens a path without links; `None` if it must be walked.
fn open_without_links(place: &PathRoot, path: &Path, flags: OFlags) -> Option<Outcome<OwnedFd>> {
    let bytes = path.as_os_str().as_bytes();
    // The kernel resolves `..` to the current parent, which may not be the directory that the path came from.
    if bytes.split(|byte| *byte == b'/').any(|name| name == b"..") {
        return None;
    }
    match place.open_straight(path, flags) {
        // The path has a link, or the kernel or a seccomp filter does not support the call.
        Err(Errno::LOOP | Errno::NOSYS | Errno::PERM) => None,
        opened => Some(opened.map_err(Into::into)),
    }
}

/// Makes the path absolute, and refuses a NUL byte.
fn absolute_path<'a>(place: &PathRoot, path: &'a Path) -> Outcome<Cow<'a, Path>> {
    if path.as_os_str().as_bytes().contains(&0) {
        return Err(SystemErrorKind::Other("file name contained an unexpected NUL byte".to_owned()));
    }
    Ok(place.absolute(path))
}

/// Opens a handle of the file at a path.
pub(super) fn hold(place: &PathRoot, path: &Path, last: Follow) -> Outcome<PathHandle> {
    let path = &*absolute_path(place, path)?;
    let nofollow = if last == Follow::Never { OFlags::NOFOLLOW } else { OFlags::empty() };
    match open_without_links(place, path, HOLD | nofollow) {
        Some(handle) => PathHandle::new(handle?),
        None => walk(place, path, last)?.found(),
    }
}

/// Opens a handle of a file that is to be changed in place.
pub(super) fn hold_for_change(place: &PathRoot, path: &Path, last: Follow) -> Outcome<PathHandle> {
    let path = &*absolute_path(place, path)?;
    let handle = hold(place, path, last)?;
    if handle.is_dir() || handle.metadata.links < 2 {
        return Ok(handle);
    }
    match walk(place, path, last)? {
        WalkResult::Directory(held) => Ok(held),
        WalkResult::Leaf(leaf) => {
            let handle = leaf.found.ok_or(SystemErrorKind::NotFound)?;
            changeable(&leaf.folder.metadata, &handle.metadata)?;
            Ok(handle)
        }
    }
}

/// Checks whether a file in a directory may be changed in place.
pub(super) fn changeable(folder: &Metadata, file: &Metadata) -> Outcome<()> {
    if trust().is_foreign_name(folder, file) { Err(foreign_name(folder, file)) } else { Ok(()) }
}

/// Checks whether a file in a directory may be read.
pub(super) fn readable(folder: &Metadata, file: &Metadata) -> Outcome<()> {
    if trust().is_foreign_secret(folder, file) { Err(foreign_name(folder, file)) } else { Ok(()) }
}

fn foreign_name(folder: &Metadata, file: &Metadata) -> SystemErrorKind {
    SystemErrorKind::ForeignName(Box::new(ForeignName { owner: owner(file.uid), folder: owner(folder.uid) }))
}

pub(super) fn open_file(place: &PathRoot, path: &Path, flags: OFlags) -> Outcome<PathHandle> {
    let path = &*absolute_path(place, path)?;
    match open_without_links(place, path, flags) {
        Some(Err(SystemErrorKind::NotFound)) => return Err(SystemErrorKind::NotFound),
        // A socket cannot be opened.
        Some(Err(error)) => {
            expect_file(hold(place, path, Follow::Links)?.metadata.kind)?;
            return Err(error);
        }
        Some(Ok(opened)) => {
            let opened = PathHandle::new(opened)?;
            expect_file(opened.metadata.kind)?;
            if opened.metadata.links < 2 {
                return Ok(opened);
            }
        }
        None => {}
    }
    for _ in 0..ATTEMPTS {
        let leaf = match walk(place, path, Follow::Links)? {
            WalkResult::Directory(_) => return Err(SystemErrorKind::IsADirectory),
            WalkResult::Leaf(leaf) => leaf,
        };
        let handle = leaf.found.ok_or(SystemErrorKind::NotFound)?;
        expect_file(handle.metadata.kind)?;
        readable(&leaf.folder.metadata, &handle.metadata)?;
        match Folder::from(leaf.folder).open(&leaf.name, flags) {
            Ok(opened) => {
                let opened = PathHandle::new(opened)?;
                if opened.is(&handle) {
                    return Ok(opened);
                }
            }
            Err(SystemErrorKind::NotFound | SystemErrorKind::LinkLoop) => {}
            Err(error) => return Err(error),
        }
    }
    Err(SystemErrorKind::Unsteady)
}

pub(super) fn open_folder(place: &PathRoot, path: &Path, flags: OFlags) -> Outcome<OwnedFd> {
    let path = &*absolute_path(place, path)?;
    match open_without_links(place, path, flags | OFlags::DIRECTORY) {
        Some(opened) => opened,
        None => match walk(place, path, Follow::Links)? {
            WalkResult::Directory(held) if flags == HOLD => Ok(held.fd),
            WalkResult::Directory(held) => Folder::from(held).reopen(flags),
            WalkResult::Leaf(leaf) if leaf.found.is_some() => Err(SystemErrorKind::NotADirectory),
            WalkResult::Leaf(_) => Err(SystemErrorKind::NotFound),
        },
    }
}

/// Opens a handle of a directory, for uses other than files.
pub(in super::super) fn hold_folder(place: &PathRoot, path: &Path) -> Outcome<OwnedFd> {
    open_folder(place, path, HOLD)
}

pub(in super::super) fn hold_any(place: &PathRoot, path: &Path) -> Outcome<OwnedFd> {
    Ok(hold(place, path, Follow::Links)?.fd)
}

/// Returns the parent directory and the last name of a path, with its trailing slashes.
pub(super) fn parent<'a>(place: &PathRoot, path: &'a Path) -> Outcome<(Folder, &'a OsStr)> {
    absolute_path(place, path)?;
    let bytes = path.as_os_str().as_bytes();
    let end = bytes.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let start = bytes[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let (folder, name) = (OsStr::from_bytes(&bytes[..start]), OsStr::from_bytes(&bytes[start..]));
    match (folder.is_empty(), name.is_empty()) {
        (_, true) => Err(SystemErrorKind::NotFound),
        (true, false) => match place.working() {
            Some(working) => Ok((open_folder(place, working, HOLD)?.into(), name)),
            None => Ok((Folder::Working, name)),
        },
        (false, false) => Ok((open_folder(place, Path::new(folder), HOLD)?.into(), name)),
    }
}

/// Like [`parent`], for a new entry: refuses reserved names.
pub(super) fn parent_for_new<'a>(place: &PathRoot, path: &'a Path) -> Outcome<(Folder, &'a OsStr)> {
    let (folder, name) = parent(place, path)?;
    temporary_name::refuse_name(name)?;
    Ok((folder, name))
}

/// Returns the target of a write.
pub(super) fn target(place: &PathRoot, path: &Path) -> Outcome<Target> {
    let (folder, name) = parent_for_new(place, path)?;
    // Such a path refers to a directory, or to a link to one.
    let is_directory = matches!(name.as_bytes(), b"." | b".." | [.., b'/']);
    if !is_directory {
        let existing = folder.look(name)?;
        if existing.as_ref().is_none_or(|metadata| metadata.kind != FileKind::Symlink) {
            let name = name.to_owned();
            return Target { folder, name, existing }.require_file();
        }
    }
    match walk(place, &place.absolute(path), Follow::Links)? {
        WalkResult::Directory(_) => Err(SystemErrorKind::IsADirectory),
        WalkResult::Leaf(leaf) => {
            temporary_name::refuse_name(&leaf.name)?;
            let existing = leaf.found.map(|handle| handle.metadata);
            Target { folder: leaf.folder.into(), name: leaf.name, existing }.require_file()
        }
    }
}

impl Target {
    /// Refuses an existing target that is not a file, because a rename would replace even a device.
    pub(super) fn require_file(self) -> Outcome<Self> {
        self.existing.as_ref().map_or(Ok(()), |existing| expect_file(existing.kind))?;
        Ok(self)
    }
}

/// Whether the existing file is a mount point by itself, which cannot be replaced.
#[cfg(target_os = "linux")]
pub(super) fn is_mount_point(target: &Target) -> bool {
    use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};

    target.existing.is_some()
        && statx(&target.folder, &target.name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::empty())
            .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Returns false: only Linux mounts files.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_mount_point(_target: &Target) -> bool {
    false
}
