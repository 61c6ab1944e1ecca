//! The policy for files that already exist at the destination.

use converge_sdk::system::{FileKind, Metadata};

/// The treatment of an existing file or link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// The file is replaced if it differs.
    Compared,
    Stays,
}

impl Existing {
    /// Whether an existing file or link stays where something other than a directory is to be copied.
    pub(super) fn keeps(self, current: Option<&Metadata>) -> bool {
        let is_one = |metadata: &Metadata| matches!(metadata.kind, FileKind::File | FileKind::Symlink);
        self == Self::Stays && current.is_some_and(is_one)
    }
}
