//! What is held open, so that it stays the same whatever becomes of its name.

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

/// Opens for nothing but to have it: no permission is needed, and no device or pipe notices.
#[cfg(not(target_os = "macos"))]
pub(super) const HOLD: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// The nearest that macOS has: what is held must be readable.
#[cfg(target_os = "macos")]
pub(super) const HOLD: OFlags = READ;

/// With [`HOLD`]: a link itself is held.
#[cfg(not(target_os = "macos"))]
const LINK_ITSELF: OFlags = OFlags::NOFOLLOW;

/// With [`HOLD`]: a link itself is held.
#[cfg(target_os = "macos")]
const LINK_ITSELF: OFlags = OFlags::SYMLINK;

/// Opens for reading. Without `O_NONBLOCK` a pipe that nobody writes to would hold the thread for ever, and a terminal
/// could become ours. On regular files these have no effect.
pub(super) const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Opens a directory for reading.
pub(super) const LIST: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// A file, directory or link that is held.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) fd: OwnedFd,
    pub(super) metadata: Metadata,
    inode: Inode,
}

impl Held {
    pub(super) fn new(fd: OwnedFd) -> Outcome<Self> {
        let stat = fstat(&fd)?;
        Ok(Self { metadata: describe(&stat), inode: Inode::of(&stat), fd })
    }

    /// Holds an entry of a directory, be it a link.
    pub(super) fn entry(folder: impl AsFd, name: &OsStr) -> Outcome<Self> {
        Self::new(openat(folder, name, HOLD | LINK_ITSELF, Mode::empty())?)
    }

    /// Where a link leads.
    #[cfg(not(target_os = "macos"))]
    pub(super) fn target(&self) -> Outcome<Vec<u8>> {
        Ok(readlinkat(&self.fd, "", Vec::new())?.into_bytes())
    }

    /// Where a link leads. No call reads one that is held: it is read by the name that the kernel has for it, which has to be its
    /// name still.
    #[cfg(target_os = "macos")]
    pub(super) fn target(&self) -> Outcome<Vec<u8>> {
        let name = rustix::fs::getpath(&self.fd)?;
        let target = readlinkat(CWD, &name, Vec::new())?.into_bytes();
        let still = Self::new(openat(CWD, &name, HOLD | LINK_ITSELF, Mode::empty())?)?;
        if self.is(&still) { Ok(target) } else { Err(SystemErrorKind::Unsteady) }
    }

    /// Opens what is held for another use.
    #[cfg(target_os = "linux")]
    pub(super) fn open_again(&self, flags: OFlags) -> Outcome<File> {
        use std::os::fd::AsRawFd as _;

        // There is no call for what is only held, but a name that leads to nothing else.
        match openat(CWD, format!("/proc/self/fd/{}", self.fd.as_raw_fd()), flags, Mode::empty()) {
            Ok(opened) => Ok(opened.into()),
            Err(Errno::NOENT) => Err(SystemErrorKind::Other(
                "/proc is not mounted, and a file cannot be written in place without it".to_owned(),
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens what is held for another use: by the name that the kernel has for it, which has to be its name still.
    #[cfg(target_os = "macos")]
    pub(super) fn open_again(&self, flags: OFlags) -> Outcome<File> {
        let name = rustix::fs::getpath(&self.fd)?;
        let opened = openat(CWD, &name, flags | OFlags::NOFOLLOW, Mode::empty())?;
        let still = Self::new(opened)?;
        if self.is(&still) { Ok(still.fd.into()) } else { Err(SystemErrorKind::Unsteady) }
    }

    /// Opens what is held for another use.
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    pub(super) fn open_again(&self, flags: OFlags) -> Outcome<File> {
        /// `O_EMPTY_PATH` of FreeBSD: the descriptor itself is meant.
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

/// A directory that something is done in.
#[derive(Clone, Debug)]
pub(super) enum Folder {
    /// The working directory of the process.
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

    /// What is in it under a name; links are not followed.
    pub(super) fn look(&self, name: &OsStr) -> Outcome<Option<Metadata>> {
        match statat(self, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(describe(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Which file has a name in it; links are not followed.
    pub(super) fn inode(&self, name: &OsStr) -> Outcome<Option<Inode>> {
        match statat(self, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(Inode::of(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens something in it that is no link. A link is a `LinkLoop`, or `NotADirectory` where a directory was wanted.
    pub(super) fn open(&self, name: &OsStr, flags: OFlags) -> Outcome<OwnedFd> {
        Ok(openat(self, name, flags | OFlags::NOFOLLOW, Mode::empty())?)
    }

    /// Opens itself for another use.
    pub(super) fn reopen(&self, flags: OFlags) -> Outcome<OwnedFd> {
        Ok(openat(self, ".", flags, Mode::empty())?)
    }
}
