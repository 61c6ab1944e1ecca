//! An entry of a folder of modules.

/// A file or a folder inside a folder of a `ModuleSource`.
///
/// ```
/// use converge_core::load::FolderEntry;
///
/// let entries = [FolderEntry::file("motd"), FolderEntry::folder("conf.d")];
/// assert_eq!(entries[1].name(), "conf.d");
/// assert!(entries[1].is_folder());
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderEntry {
    name: String,
    is_folder: bool,
}

impl FolderEntry {
    /// Creates an entry for a file that can be read.
    pub fn file(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_folder: false }
    }

    /// Creates an entry for a folder that can be listed.
    pub fn folder(name: impl Into<String>) -> Self {
        Self { name: name.into(), is_folder: true }
    }

    /// Returns the name inside the folder, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the entry is a folder.
    pub fn is_folder(&self) -> bool {
        self.is_folder
    }
}
