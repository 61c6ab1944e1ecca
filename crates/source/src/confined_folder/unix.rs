//! The Unix implementation, which walks a path name by name and follows no links.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

use super::file::expect_file;

/// Flags that open a directory and fail for a link.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// An open directory.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// Opens a regular file; a path that leads outside fails with the kind `CrossesDevices`.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let mut names = names(name)?;
        let Some(Some(last)) = names.pop() else { return Err(io::ErrorKind::IsADirectory.into()) };
        let way = self.walk(names)?;
        let folder = way.last().unwrap_or(&self.0);
        // The file is checked first because opening a device may have effects.
        let found = statat(folder, last, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        if !matches!(kind, FileType::RegularFile | FileType::Directory) {
            return Err(io::Error::other("it is not a regular file"));
        }
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let file = File::from(openat(folder, last, flags, Mode::empty())?);
        expect_file(&file.metadata()?)?;
        Ok(file)
    }

    /// Lists the files and folders in a folder, each with whether it is a folder.
    ///
    /// At most one entry more than `most` is returned. A path that leads outside fails with the kind
    /// `CrossesDevices`.
    pub(super) fn list(&self, folder: &str, most: usize) -> io::Result<Vec<(OsString, bool)>> {
        let way = self.walk(names(folder)?)?;
        let opened = way.last().unwrap_or(&self.0);
        let mut found = Vec::new();
        for entry in Dir::read_from(opened)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            match FileType::from_raw_mode(statat(opened, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode) {
                FileType::Directory => found.push((name.to_owned(), true)),
                FileType::RegularFile => found.push((name.to_owned(), false)),
                _ => {}
            }
            if found.len() > most {
                break;
            }
        }
        Ok(found)
    }

    /// Opens the directories on a path, each relative to the previous one.
    fn walk(&self, names: Vec<Option<&OsStr>>) -> io::Result<Vec<OwnedFd>> {
        let mut way: Vec<OwnedFd> = Vec::new();
        for name in names {
            match name {
                Some(name) => {
                    way.push(openat(way.last().unwrap_or(&self.0), name, DIRECTORY, Mode::empty())?)
                }
                None => drop(way.pop().ok_or_else(outside)?),
            }
        }
        Ok(way)
    }
}

/// Splits a path into names; `None` stands for the parent folder.
fn names(path: &str) -> io::Result<Vec<Option<&OsStr>>> {
    let mut names = Vec::new();
    for component in Path::new(path).components() {
        match component {
            Component::Normal(name) => names.push(Some(name)),
            Component::ParentDir => names.push(None),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(outside()),
        }
    }
    Ok(names)
}

fn outside() -> io::Error {
    io::Error::from(io::ErrorKind::CrossesDevices)
}
