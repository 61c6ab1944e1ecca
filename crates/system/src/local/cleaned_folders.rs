//! Which directories were looked through for what killed runs left.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use rustix::fs::Stat;

use crate::Inode;

impl Inode {
    pub(super) fn of(stat: &Stat) -> Self {
        Self { device: device(stat), number: stat.st_ino }
    }
}

/// The file system that a file is on.
#[cfg(not(target_os = "macos"))]
pub(super) fn device(stat: &Stat) -> u64 {
    stat.st_dev
}

/// The same; on macOS the number has a sign.
#[cfg(target_os = "macos")]
pub(super) fn device(stat: &Stat) -> u64 {
    stat.st_dev.cast_unsigned().into()
}

/// The directories where leftovers were looked for by this system. Once is enough: what this one leaves behind only
/// another one can find.
#[derive(Debug, Default)]
pub(super) struct Swept(Mutex<HashSet<Inode>>);

impl Swept {
    /// Remembers a directory, and says whether it is the first time.
    pub(super) fn is_first(&self, directory: Inode) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(directory)
    }
}
