//! A path is walked name by name, and no link is followed.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

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
        let outside = || io::Error::from(io::ErrorKind::CrossesDevices);
        let mut way: Vec<OwnedFd> = Vec::new();
        let mut names = Vec::new();
        for component in Path::new(name).components() {
            match component {
                Component::Normal(name) => names.push(Some(name)),
                Component::ParentDir => names.push(None),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => return Err(outside()),
            }
        }
        let Some(Some(last)) = names.pop() else { return Err(io::ErrorKind::IsADirectory.into()) };
        for name in names {
            match name {
                Some(name) => {
                    way.push(openat(way.last().unwrap_or(&self.0), name, DIRECTORY, Mode::empty())?)
                }
                None => drop(way.pop().ok_or_else(outside)?),
            }
        }
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
}
