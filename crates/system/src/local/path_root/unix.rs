//! By what is held: a root, and a working directory below it.

use std::borrow::Cow;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fstat, open, openat};

use crate::{Inode, SystemErrorKind};

#[cfg(not(target_os = "macos"))]
const HOLD_FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// It has to be readable: macOS has no way to open it for nothing.
#[cfg(target_os = "macos")]
const HOLD_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// Where `/` is, and where a relative path begins. By default that is as for the process.
#[derive(Debug, Default)]
pub(crate) struct Place {
    /// Held, so that it stays what it was when the system was made.
    root: Option<Root>,
    /// An absolute path, below the root.
    working: Option<PathBuf>,
}

#[derive(Debug)]
struct Root {
    fd: OwnedFd,
    id: Inode,
}

impl Place {
    /// A place whose paths begin in these directories of the machine; `working` is below `root`.
    pub(crate) fn new(root: Option<&Path>, working: Option<PathBuf>) -> rustix::io::Result<Self> {
        let root = match root {
            Some(root) => {
                let fd = open(root, HOLD_FOLDER, Mode::empty())?;
                let stat = fstat(&fd)?;
                Some(Root { fd, id: Inode::of(&stat) })
            }
            None => None,
        };
        let working = working.or_else(|| root.is_some().then(|| PathBuf::from("/")));
        Ok(Self { root, working })
    }

    /// Whether paths mean something else than for the process.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.working.is_some()
    }

    /// The directory in which relative paths begin, unless that is the one of the process.
    pub(crate) fn working(&self) -> Option<&Path> {
        self.working.as_deref()
    }

    /// The path with what it begins in.
    pub(crate) fn absolute<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.working {
            Some(working) if path.is_relative() && !path.as_os_str().is_empty() => {
                Cow::Owned(working.join(path))
            }
            _ => Cow::Borrowed(path),
        }
    }

    /// Holds `/`.
    pub(crate) fn hold_root(&self) -> rustix::io::Result<OwnedFd> {
        match &self.root {
            Some(root) => openat(&root.fd, ".", HOLD_FOLDER, Mode::empty()),
            None => open("/", HOLD_FOLDER, Mode::empty()),
        }
    }

    /// Whether this is the directory above which nothing is.
    pub(crate) fn is_root(&self, held: Inode) -> bool {
        self.root.as_ref().is_some_and(|root| root.id == held)
    }

    /// Whether what the kernel knows of other processes may be followed out of here.
    pub(crate) fn is_confined(&self) -> bool {
        self.root.is_some()
    }

    /// Opens what an absolute path leads to, unless there is a link in it.
    #[cfg(target_os = "linux")]
    pub(crate) fn open_straight(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        use rustix::fs::{CWD, ResolveFlags, openat2};

        match &self.root {
            Some(root) => {
                let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_SYMLINKS;
                openat2(&root.fd, path, flags, Mode::empty(), resolve)
            }
            None => openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS),
        }
    }

    /// Only Linux has such a call: elsewhere each path is walked, name by name.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "where there is a call, it begins here")]
    pub(crate) fn open_straight(&self, _path: &Path, _flags: OFlags) -> rustix::io::Result<OwnedFd> {
        Err(rustix::io::Errno::NOSYS)
    }

    /// A path by which this process, and programs that it starts, get to a directory or a socket that is held; `shown` is how it was
    /// named.
    #[cfg(target_os = "linux")]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
    #[expect(clippy::unused_self, reason = "elsewhere it matters where `/` is")]
    pub(crate) fn path_of_held(&self, held: &OwnedFd, _shown: &Path) -> Result<PathBuf, SystemErrorKind> {
        use std::os::fd::AsRawFd as _;

        // There is no call for what is held, but a name that leads to nothing else.
        Ok(format!("/proc/self/fd/{}", held.as_raw_fd()).into())
    }

    /// Elsewhere what is held has no name, so it is the path that it was found by.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn path_of_held(&self, _held: &OwnedFd, shown: &Path) -> Result<PathBuf, SystemErrorKind> {
        if self.is_confined() {
            return Err(SystemErrorKind::unsupported("a program or a socket below a root"));
        }
        Ok(self.absolute(shown).into_owned())
    }
}
