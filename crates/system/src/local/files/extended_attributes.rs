//! Extended attributes, among them access control lists.
//!
//! They are read and changed through open handles, and kept when a file is replaced.

use std::fs::File;

use super::open_file::PathHandle;
use super::path_lookup::Target;
use super::path_walk::trust;
use super::stat::Outcome;
use crate::{Acl, ExtendedAttribute, FileKind, Inherit, SystemErrorKind};

/// The attributes that the kernel computes from the content of a file.
const OF_CONTENT: [&str; 2] = ["security.ima", "security.evm"];

/// The attribute that lets a program do more than who starts it, as the set-user-id bit does.
const CAPABILITIES: &str = "security.capability";

/// Returns the attributes that the replacement of a file keeps; `None` if it inherits nothing.
pub(super) fn kept(target: &Target, inherit: Inherit) -> Outcome<Option<Vec<ExtendedAttribute>>> {
    if target.existing.is_none() {
        return Ok(None);
    }
    let old = match PathHandle::entry(&target.folder, &target.name) {
        Err(SystemErrorKind::NotFound) => return Ok(None),
        opened => opened?,
    };
    // Another file may have taken the name since it was looked up.
    if old.metadata.kind != FileKind::File
        || !trust().is_inherited(&target.folder.metadata()?, &old.metadata, inherit)
    {
        return Ok(None);
    }
    platform::of_entry(&old, &target.folder, &target.name).map(Some)
}

/// Gives a new file the attributes of the file that it replaces, or of which it is a copy.
///
/// An access control list that the directory gave the new file is removed, unless the old one had one.
///
/// # Errors
///
/// Returns an error if an attribute cannot be kept.
pub(super) fn keep(old: &[ExtendedAttribute], new: &File, is_same_owner: bool) -> Outcome<()> {
    let current = platform::of_file(new)?;
    let failed = |name: &str, kind: SystemErrorKind| {
        SystemErrorKind::Other(format!("its attribute {name} cannot be kept: {kind}"))
    };
    for attribute in old {
        let ExtendedAttribute { name, value } = attribute;
        if OF_CONTENT.contains(&name.as_str())
            || !["user.", "trusted.", "security.", "system."].iter().any(|kind| name.starts_with(kind))
            || name == CAPABILITIES && !is_same_owner
            || current.contains(attribute)
        {
            continue;
        }
        platform::set(new, name, value).map_err(|kind| failed(name, kind))?;
    }
    let has_acl = |attributes: &[ExtendedAttribute]| attributes.iter().any(|held| held.name == Acl::ACCESS);
    if has_acl(&current) && !has_acl(old) {
        platform::remove(new, Acl::ACCESS).map_err(|kind| failed(Acl::ACCESS, kind))?;
    }
    Ok(())
}

pub(super) use platform::{of_file, read, remove_from, set_on};

#[cfg(target_os = "linux")]
mod platform {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::os::fd::AsRawFd as _;
    use std::os::unix::ffi::OsStrExt as _;

    use rustix::fs::{
        XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr, getxattr, listxattr, removexattr,
        setxattr,
    };
    use rustix::io::Errno;

    use super::super::open_file::{Folder, PathHandle, READ};
    use super::super::stat::Outcome;
    use crate::{ExtendedAttribute, SystemErrorKind};

    /// The most bytes that Linux returns, of a list of names as well as of a value.
    const MOST: usize = 64 * 1024;

    /// Reads all attributes.
    pub(in super::super) fn read(handle: &PathHandle) -> Outcome<Vec<ExtendedAttribute>> {
        let path = proc_path(handle);
        all(|names| listxattr(&path, names), |name, value| getxattr(&path, name, value))
    }

    pub(in super::super) fn of_file(file: &File) -> Outcome<Vec<ExtendedAttribute>> {
        all(|names| flistxattr(file, names), |name, value| fgetxattr(file, name, value))
    }

    /// Reads all attributes of an entry of a directory; without `/proc`, the entry must be readable.
    pub(super) fn of_entry(
        handle: &PathHandle,
        folder: &Folder,
        name: &OsStr,
    ) -> Outcome<Vec<ExtendedAttribute>> {
        match read(handle) {
            Err(SystemErrorKind::NotFound) => of_file(&folder.open(name, READ)?.into()),
            read => read,
        }
    }

    fn all(
        list: impl Fn(&mut [u8]) -> Result<usize, Errno>,
        get: impl Fn(&OsStr, &mut [u8]) -> Result<usize, Errno>,
    ) -> Outcome<Vec<ExtendedAttribute>> {
        let mut buffer = vec![0; MOST];
        let names = match list(&mut buffer) {
            Ok(len) => OsString::from(OsStr::from_bytes(&buffer[..len])),
            Err(Errno::NOTSUP) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut attributes = Vec::new();
        for name in names.as_bytes().split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let len = match get(OsStr::from_bytes(name), &mut buffer) {
                Ok(len) => len,
                // It was removed meanwhile, or the file system lists what it does not give.
                Err(Errno::NODATA | Errno::NOTSUP) => continue,
                Err(error) => return Err(error.into()),
            };
            let name = String::from_utf8_lossy(name).into_owned();
            attributes.push(ExtendedAttribute { name, value: buffer[..len].to_vec() });
        }
        attributes.sort_unstable();
        Ok(attributes)
    }

    pub(super) fn set(file: &File, name: &str, value: &[u8]) -> Outcome<()> {
        Ok(fsetxattr(file, name, value, XattrFlags::empty())?)
    }

    pub(super) fn remove(file: &File, name: &str) -> Outcome<()> {
        Ok(fremovexattr(file, name)?)
    }

    /// Sets an attribute of the file of a handle.
    pub(in super::super) fn set_on(handle: &PathHandle, name: &str, value: &[u8]) -> Outcome<()> {
        setxattr(proc_path(handle), name, value, XattrFlags::empty()).map_err(|error| refused(name, error))
    }

    /// Removes an attribute of the file of a handle.
    pub(in super::super) fn remove_from(handle: &PathHandle, name: &str) -> Outcome<()> {
        match removexattr(proc_path(handle), name) {
            Err(Errno::NODATA) => Ok(()),
            removed => removed.map_err(|error| refused(name, error)),
        }
    }

    /// No system call does this with an `O_PATH` handle, but its name in `/proc` can lead nowhere else.
    fn proc_path(handle: &PathHandle) -> String {
        format!("/proc/self/fd/{}", handle.fd.as_raw_fd())
    }

    fn refused(name: &str, error: Errno) -> SystemErrorKind {
        match error {
            Errno::NOTSUP => {
                SystemErrorKind::Other(format!("the file system has no attributes such as {name}"))
            }
            Errno::NOENT => SystemErrorKind::Other(
                "/proc is not mounted, and attributes cannot be changed without it".to_owned(),
            ),
            error => error.into(),
        }
    }
}

/// Extended attributes are used on Linux only.
#[cfg(not(target_os = "linux"))]
mod platform {
    use std::ffi::OsStr;
    use std::fs::File;

    use super::super::open_file::{Folder, PathHandle};
    use super::super::stat::Outcome;
    use crate::{ExtendedAttribute, SystemErrorKind};

    const WHAT: &str = "an extended attribute";

    pub(in super::super) fn read(_: &PathHandle) -> Outcome<Vec<ExtendedAttribute>> {
        Ok(Vec::new())
    }

    pub(in super::super) fn of_file(_: &File) -> Outcome<Vec<ExtendedAttribute>> {
        Ok(Vec::new())
    }

    pub(super) fn of_entry(_: &PathHandle, _: &Folder, _: &OsStr) -> Outcome<Vec<ExtendedAttribute>> {
        Ok(Vec::new())
    }

    pub(super) fn set(_: &File, _: &str, _: &[u8]) -> Outcome<()> {
        Err(SystemErrorKind::unsupported(WHAT))
    }

    pub(super) fn remove(_: &File, _: &str) -> Outcome<()> {
        Err(SystemErrorKind::unsupported(WHAT))
    }

    pub(in super::super) fn set_on(_: &PathHandle, _: &str, _: &[u8]) -> Outcome<()> {
        Err(SystemErrorKind::unsupported(WHAT))
    }

    pub(in super::super) fn remove_from(_: &PathHandle, _: &str) -> Outcome<()> {
        Err(SystemErrorKind::unsupported(WHAT))
    }
}
