//! Which directories were looked through for what killed runs left.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// Which file it is on this machine, by whatever name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileId {
    pub(super) device: u64,
    pub(super) inode: u64,
}

/// The directories where leftovers were looked for by this system. Once is enough: what this one leaves behind only
/// another one can find.
#[derive(Debug, Default)]
pub(super) struct Swept(Mutex<HashSet<FileId>>);

impl Swept {
    /// Remembers a directory, and says whether it is the first time.
    pub(super) fn is_first(&self, directory: FileId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(directory)
    }
}
