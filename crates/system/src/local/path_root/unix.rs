//! The path root on Unix: open handles of the root and the working directory.

use std::borrow::Cow;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, fstat, open, openat};

use crate::{Inode, SystemErrorKind};

#[cfg(not(target_os = "macos"))]
const HOLD_FOLDER: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The flags for a handle. macOS has no handles without access, so the directory must be readable.
#[cfg(target_os = "macos")]
const HOLD_FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The root `/` and the start of relative paths.
///
/// The default is that of the process.
#[derive(Debug, Default)]
pub(crate) struct PathRoot {
    /// The open root, which stays the same when it is renamed.
    root: Option<Root>,
    /// The working directory, an absolute path below the root.
    working: Option<PathBuf>,
}

#[derive(Debug)]
struct Root {
    fd: OwnedFd,
    id: Inode,
}

impl PathRoot {
    /// Opens the root; `working` is a path below it.
    pub(crate) fn new(root: Option<&Path>, working: Option<PathBuf>) -> rustix::io::Result<Self> {
        let root = match root {
            Some(root) => {
                let fd = open(root, HOLD_FOLDER, Mode::empty())?;
                let stat = fstat(&fd)?;
                Some(Root { fd, id: Inode::from_stat(&stat) })
            }
            None => None,
        };
        let working = working.or_else(|| root.is_some().then(|| PathBuf::from("/")));
        Ok(Self { root, working })
    }

    /// Whether paths have another meaning than for the process.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.working.is_some()
    }

    /// Returns the start of relative paths, unless it is the working directory of the process.
    pub(crate) fn working(&self) -> Option<&Path> {
        self.working.as_deref()
    }

    pub(crate) fn absolute<'a>(&self, path: &'a Path) -> Cow<'a, Path> {
        match &self.working {
            Some(working) if path.is_relative() && !path.as_os_str().is_empty() => {
                Cow::Owned(working.join(path))
            }
            _ => Cow::Borrowed(path),
        }
    }

    pub(crate) fn hold_root(&self) -> rustix::io::Result<OwnedFd> {
        match &self.root {
            Some(root) => openat(&root.fd, ".", HOLD_FOLDER, Mode::empty()),
            None => open("/", HOLD_FOLDER, Mode::empty()),
        }
    }

    pub(crate) fn is_root(&self, inode: Inode) -> bool {
        self.root.as_ref().is_some_and(|root| root.id == inode)
    }

    /// Whether paths are confined to a root, so that links in `/proc` must not be followed.
    pub(crate) fn is_confined(&self) -> bool {
        self.root.is_some()
    }

    /// Opens an absolute path, unless it contains a link.
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

    /// Returns an error: only Linux has such a call, so other platforms walk each path.
    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "where there is a call, it begins here")]
    pub(crate) fn open_straight(&self, _path: &Path, _flags: OFlags) -> rustix::io::Result<OwnedFd> {
        Err(rustix::io::Errno::NOSYS)
    }

    /// Returns a path through which this process and its children reach an open directory or socket.
    ///
    /// `shown` is its path in messages.
    #[cfg(target_os = "linux")]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there may be none")]
    #[expect(clippy::unused_self, reason = "elsewhere it matters where `/` is")]
    pub(crate) fn path_of_held(&self, folder: &OwnedFd, _shown: &Path) -> Result<PathBuf, SystemErrorKind> {
        use std::os::fd::AsRawFd as _;

        // No system call accepts the handle, but its name in `/proc` can lead nowhere else.
        Ok(format!("/proc/self/fd/{}", folder.as_raw_fd()).into())
    }

    /// Returns the original path, as handles have no name on this platform.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn path_of_held(&self, _held: &OwnedFd, shown: &Path) -> Result<PathBuf, SystemErrorKind> {
        if self.is_confined() {
            return Err(SystemErrorKind::unsupported("a program or a socket below a root"));
        }
        Ok(self.absolute(shown).into_owned())
    }
}
