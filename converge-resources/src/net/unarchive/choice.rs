//! What of an archive is unpacked, and under which paths.

use std::path::Path;

use super::path::EntryPath;
use crate::file::select::Selection;

/// Which entries are unpacked.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// How many folders are taken off the front of each path.
    pub(super) strip: usize,
    /// Of the paths that are left.
    pub(super) selection: Selection,
}

impl Choice {
    /// Whether it is the whole archive, as it is.
    pub(super) fn is_everything(&self) -> bool {
        self.strip == 0 && self.selection.is_everything()
    }

    /// Where an entry is unpacked; `None` when it is left out.
    pub(super) fn place(&self, path: EntryPath, is_directory: bool) -> Option<EntryPath> {
        let path = path.without_first(self.strip)?;
        let text = path.to_string();
        let is_excluded = Path::new(&text)
            .ancestors()
            .filter(|above| !above.as_os_str().is_empty())
            .any(|above| self.selection.excludes(above));
        let is_taken = if is_directory {
            // A directory is made for what is in it.
            !self.selection.is_partial()
        } else {
            self.selection.includes(Path::new(&text))
        };
        (!is_excluded && is_taken).then_some(path)
    }
}
