//! Open handles, which refer to the same file whatever happens to its name.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, readlinkat, statat};
use rustix::io::Errno;

use super::stat::{Outcome, describe};
#[cfg(any(target_os = "linux", target_os = "macos"))]
use crate::SystemErrorKind;
use crate::{FileKind, Inode, Metadata};

/// The flags for a handle without access: it needs no permission, and does not affect devices or pipes.
#[cfg(not(target_os = "macos"))]
pub(super) const HOLD: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// The flags for a handle. macOS has no handles without access, so the file must be readable.
#[cfg(target_os = "macos")]
pub(super) const HOLD: OFlags = READ;

/// The flag that makes [`HOLD`] open a link itself.
#[cfg(not(target_os = "macos"))]
const LINK_ITSELF: OFlags = OFlags::NOFOLLOW;

/// The flag that makes [`HOLD`] open a link itself.
#[cfg(target_os = "macos")]
const LINK_ITSELF: OFlags = OFlags::SYMLINK;

/// The flags for reading.
///
/// Without `O_NONBLOCK`, a pipe without a writer would block the thread. Without `O_NOCTTY`, a terminal could
/// become the controlling terminal. Both have no effect on regular files.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

pub(super) const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A handle of a file, directory or link.
#[derive(Debug)]
pub(super) struct PathHandle {
    pub(super) fd: OwnedFd,
    pub(super) metadata: Metadata,
    inode: Inode,
}

impl PathHandle {
    pub(super) fn new(fd: OwnedFd) -> Outcome<Self> {
        let stat = fstat(&fd)?;
        Ok(Self { metadata: describe(&stat), inode: Inode::from_stat(&stat), fd })
    }

    /// Opens a handle of a directory entry.
    ///
    /// A link is not followed.
    pub(super) fn entry(folder: impl AsFd, name: &OsStr) -> Outcome<Self> {
        Self::new(openat(folder, name, HOLD | LINK_ITSELF, Mode::empty())?)
    }

    #[cfg(not(target_os = "macos"))]
    pub(super) fn target(&self) -> Outcome<Vec<u8>> {
        Ok(readlinkat(&self.fd, "", Vec::new())?.into_bytes())
    }

    /// Returns the target of a link.
    ///
    /// macOS cannot read the link of a handle. The link is read by the name that the kernel reports, which
    /// must still refer to it.
    #[cfg(target_os = "macos")]
    pub(super) fn target(&self) -> Outcome<Vec<u8>> {
        let name = rustix::fs::getpath(&self.fd)?;
        let target = readlinkat(CWD, &name, Vec::new())?.into_bytes();
        let still = Self::new(openat(CWD, &name, HOLD | LINK_ITSELF, Mode::empty())?)?;
        if self.is(&still) { Ok(target) } else { Err(SystemErrorKind::Unsteady) }
    }

    /// Opens the file of the handle with other flags.
    #[cfg(target_os = "linux")]
    pub(super) fn open_again(&self, flags: OFlags) -> Outcome<File> {
        use std::os::fd::AsRawFd as _;

        // No system call reopens an `O_PATH` handle, but its name in `/proc` can lead nowhere else.
        match openat(CWD, format!("/proc/self/fd/{}", self.fd.as_raw_fd()), flags, Mode::empty()) {
            Ok(opened) => Ok(opened.into()),
            Err(Errno::NOENT) => Err(SystemErrorKind::Other(
                "/proc is not mounted, and a file cannot be written in place without it".to_owned(),
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the file of the handle with other flags.
    ///
    /// The file is opened by the name that the kernel reports, which must still refer to it.
    #[cfg(target_os = "macos")]
    pub(super) fn open_again(&self, flags: OFlags) -> Outcome<File> {
        let name = rustix::fs::getpath(&self.fd)?;
        let opened = openat(CWD, &name, flags | OFlags::NOFOLLOW, Mode::empty())?;
        let still = Self::new(opened)?;
        if self.is(&still) { Ok(still.fd.into()) } else { Err(SystemErrorKind::Unsteady) }
    }

    /// Opens the file of the handle with other flags.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub(super) fn open_again(&self, flags: OFlags) -> Outcome<File> {
        /// `O_EMPTY_PATH` of FreeBSD: opens the descriptor itself.
        const ITSELF: OFlags = OFlags::from_bits_retain(0x0200_0000);

        Ok(openat(&self.fd, "", flags | ITSELF, Mode::empty())?.into())
    }

    pub(super) fn is_dir(&self) -> bool {
        self.metadata.kind == FileKind::Directory
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        self.inode == other.inode
    }

    pub(super) fn inode(&self) -> Inode {
        self.inode
    }
}

/// An open directory, or the working directory.
#[derive(Clone, Debug)]
pub(super) enum Folder {
    Working,
    Open(Arc<OwnedFd>),
}

impl From<OwnedFd> for Folder {
    fn from(fd: OwnedFd) -> Self {
        Self::Open(Arc::new(fd))
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Working => CWD,
            Self::Open(fd) => fd.as_fd(),
        }
    }
}

impl Folder {
    pub(super) fn metadata(&self) -> Outcome<Metadata> {
        let stat = match self {
            Self::Working => statat(CWD, ".", AtFlags::empty()),
            Self::Open(fd) => fstat(fd),
        };
        Ok(describe(&stat?))
    }

    /// Returns the metadata of an entry; links are not followed.
    pub(super) fn look(&self, name: &OsStr) -> Outcome<Option<Metadata>> {
        match statat(self, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(describe(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the identity of an entry's file; links are not followed.
    pub(super) fn inode(&self, name: &OsStr) -> Outcome<Option<Inode>> {
        match statat(self, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Inode::from_stat(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens an entry that is not a link.
    ///
    /// A link is a `LinkLoop`, or `NotADirectory` if a directory was requested.
    pub(super) fn open(&self, name: &OsStr, flags: OFlags) -> Outcome<OwnedFd> {
        Ok(openat(self, name, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }

    pub(super) fn reopen(&self, flags: OFlags) -> Outcome<OwnedFd> {
        Ok(openat(self, ".", flags, Mode::empty())?)
    }
}
