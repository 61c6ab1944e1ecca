//! A path is walked name by name, and no link is followed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

use super::file::expect_file;

/// Opens a directory; a link is an error.
const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW);

/// A directory that is open.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(openat(CWD, path, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty())?))
    }

    /// Opens what is a file, and nothing else. What is outside is an error of the kind `CrossesDevices`.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let mut names = names(name)?;
        let Some(Some(last)) = names.pop() else { return Err(io::ErrorKind::IsADirectory.into()) };
        let way = self.walk(names)?;
        let folder = way.last().unwrap_or(&self.0);
        // To open a device may do something already.
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

    /// The names of the files in a folder and of the folders, each with whether it is one: no more than one past so many. What is outside is an
    /// error of the kind `CrossesDevices`.
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

    /// The directories on the way, each opened in the one before.
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

/// The names in a path; `None` for the folder around.
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
