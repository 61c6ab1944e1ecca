//! Where the paths of a system begin.

use std::borrow::Cow;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fstat, open, openat, openat2};

use super::swept::FileId;

const HOLD_FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Where `/` is, and where a relative path begins. By default that is as for the process.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// Held, so that it stays what it was when the system was made.
    root: Option<Root>,
    /// An absolute path, below the root.
    working: Option<PathBuf>,
}

#[derive(Debug)]
struct Root {
    fd: OwnedFd,
    id: FileId,
}

impl Place {
    /// A place whose paths begin in these directories of the machine; `working` is below `root`.
    pub(super) fn new(root: Option<&Path>, working: Option<PathBuf>) -> rustix::io::Result<Self> {
        let root = match root {
            Some(root) => {
                let fd = open(root, HOLD_FOLDER, Mode::empty())?;
                let stat = fstat(&fd)?;
                Some(Root { fd, id: FileId { device: stat.st_dev, inode: stat.st_ino } })
            }
            None => None,
        };
        let working = working.or_else(|| root.is_some().then(|| PathBuf::from("/")));
        Ok(Self { root, working })
    }

    /// Whether paths mean something else than for the process.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.working.is_some()
    }

    /// The directory in which relative paths begin, unless that is the one of the process.
    pub(super) fn working(&self) -> Option<&Path> {
        self.working.as_deref()
    }

    /// The path with what it begins in.
    pub(super) fn absolute<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.working {
            Some(working) if path.is_relative() && !path.as_os_str().is_empty() => {
                Cow::Owned(working.join(path))
            }
            _ => Cow::Borrowed(path),
        }
    }

    /// Holds `/`.
    pub(super) fn hold_root(&self) -> rustix::io::Result<OwnedFd> {
        match &self.root {
            Some(root) => openat(&root.fd, ".", HOLD_FOLDER, Mode::empty()),
            None => open("/", HOLD_FOLDER, Mode::empty()),
        }
    }

    /// Whether this is the directory above which nothing is.
    pub(super) fn is_root(&self, held: FileId) -> bool {
        self.root.as_ref().is_some_and(|root| root.id == held)
    }

    /// Whether what the kernel knows of other processes may be followed out of here.
    pub(super) fn is_confined(&self) -> bool {
        self.root.is_some()
    }

    /// Opens what an absolute path leads to, unless there is a link in it.
    pub(super) fn open_straight(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        match &self.root {
            Some(root) => {
                let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
                openat2(&root.fd, path, flags, Mode::empty(), resolve)
            }
            None => openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS),
        }
    }
}
