//! Selection of the entries of an archive to unpack, and of their paths.

use std::path::Path;

use super::path::EntryPath;
use crate::file::select::Selection;

/// The selection of entries to unpack.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// The number of leading directories that are removed from each path.
    pub(super) strip: usize,
    /// The selection among the remaining paths.
    pub(super) selection: Selection,
}

impl Choice {
    /// Whether the whole archive is unpacked, without changes of paths.
    pub(super) fn is_everything(&self) -> bool {
        self.strip == 0 && self.selection.is_everything()
    }

    /// Returns the destination path of an entry, or `None` if it is left out.
    pub(super) fn destination(&self, path: EntryPath, is_directory: bool) -> Option<EntryPath> {
        let path = path.without_first(self.strip)?;
        let text = path.to_string();
        let is_excluded = Path::new(&text)
            .ancestors()
            .filter(|ancestor| !ancestor.as_os_str().is_empty())
            .any(|ancestor| self.selection.excludes(ancestor));
        let is_taken = if is_directory {
            // With a partial selection, directories are created only for their contents.
            !self.selection.is_partial()
        } else {
            self.selection.includes(Path::new(&text))
        };
        (!is_excluded && is_taken).then_some(path)
    }
}
