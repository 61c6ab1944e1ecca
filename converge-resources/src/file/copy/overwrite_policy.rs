//! What becomes of what is there.

use converge_core::system::{FileKind, Metadata};

/// What becomes of a file or a link that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Existing {
    /// It is replaced where it differs.
    Compared,
    Stays,
}

impl Existing {
    /// Whether this stays, in the place of what is no folder.
    pub(super) fn keeps(self, has: Option<&Metadata>) -> bool {
        let is_one = |has: &Metadata| matches!(has.kind, FileKind::File | FileKind::Symlink);
        self == Self::Stays && has.is_some_and(is_one)
    }
}
