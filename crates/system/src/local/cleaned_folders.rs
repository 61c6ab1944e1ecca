//! The directories that have been swept for leftovers of killed runs.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use rustix::fs::Stat;

use crate::Inode;

impl Inode {
    pub(super) fn from_stat(stat: &Stat) -> Self {
        Self { device: device(stat), number: stat.st_ino }
    }
}

/// Returns the device number of a file's file system.
#[cfg(not(target_os = "macos"))]
pub(super) fn device(stat: &Stat) -> u64 {
    stat.st_dev
}

/// Returns the device number of a file's file system.
///
/// It is signed on macOS.
#[cfg(target_os = "macos")]
pub(super) fn device(stat: &Stat) -> u64 {
    stat.st_dev.cast_unsigned().into()
}

/// The directories that this system has swept.
///
/// Once is enough: leftovers of this system are found by another one only.
#[derive(Debug, Default)]
pub(super) struct SweptFolders(Mutex<HashSet<Inode>>);

impl SweptFolders {
    /// Records a directory.
    ///
    /// Returns whether it is new.
    pub(super) fn is_first(&self, directory: Inode) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(directory)
    }
}
