//! The kernel keeps a path below a directory.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};

use super::file::expect_file;

/// A directory that is held.
#[derive(Debug)]
pub(super) struct Root(OwnedFd);

impl Root {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(openat(CWD, path, flags, Mode::empty())?))
    }

    /// Opens what is a file, and nothing else. What is outside is an error of the kind `CrossesDevices`.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let open = |flags| -> io::Result<File> {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
            Ok(openat2(&self.0, name, flags | OFlags::CLOEXEC, Mode::empty(), resolve)?.into())
        };
        // Twice, as to open a device may do something already. What is opened then is not waited for.
        expect_file(&open(OFlags::PATH)?.metadata()?)?;
        let file = open(OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        expect_file(&file.metadata()?)?;
        Ok(file)
    }
}
