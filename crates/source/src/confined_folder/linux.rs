//! The Linux implementation, in which the kernel keeps paths below a directory.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, openat, openat2, statat};

use super::file::expect_file;

/// An open directory.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens a regular file; a path that leads outside fails with the kind `CrossesDevices`.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let open = |flags| -> io::Result<File> {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            Ok(openat2(&self.0, name, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?.into())
        };
        // The file is checked before and after it is opened, because opening a device may have effects. The
        // second open does not block.
        expect_file(&open(OFlags::PATH)?.metadata()?)?;
        let file = open(OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        expect_file(&file.metadata()?)?;
        Ok(file)
    }

    /// Lists the files and folders in a folder, each with whether it is a folder.
    ///
    /// Links to files below the directory are included. At most one entry more than `most` is returned. A
    /// path that leads outside fails with the kind `CrossesDevices`.
    pub(super) fn list(&self, folder: &str, maximum: usize) -> io::Result<Vec<(OsString, bool)>> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        let path = if folder.is_empty() { "." } else { folder };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat2(&self.0, path, flags, Mode::empty(), resolve)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&opened)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            // Some file systems do not report the kind, and for a link the kind of its target counts.
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    FileType::from_raw_mode(statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode)
                }
                kind => kind,
            };
            let is_folder = match kind {
                FileType::Directory => true,
                FileType::RegularFile => false,
                FileType::Symlink => {
                    let target = openat2(
                        &self.0,
                        Path::new(path).join(name),
                        OFlags::PATH | OFlags::CLOEXEC,
                        Mode::empty(),
                        resolve,
                    );
                    if target.is_ok_and(|target| {
                        File::from(target).metadata().is_ok_and(|target| target.is_file())
                    }) {
                        false
                    } else {
                        continue;
                    }
                }
                _ => continue,
            };
            entries.push((name.to_owned(), is_folder));
            if entries.len() > maximum {
                break;
            }
        }
        Ok(entries)
    }
}
