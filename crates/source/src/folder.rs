//! Search for the modules in a folder.
#![expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::error::SourceError;
use super::module_folder::module_folder;

/// The module files in a folder and all of its subfolders.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Folder {
    /// The files whose names end in `.hcl`, sorted; hidden files and symbolic links are left out.
    pub files: Vec<PathBuf>,
    /// The modules, sorted: each file, or a whole folder if it contains a `module.hcl`.
    pub modules: Vec<PathBuf>,
    /// The errors of folders that could not be read, or an error that there is no module.
    pub problems: Vec<SourceError>,
}

impl Folder {
    /// Searches a folder; returns `None` if the path is not a folder.
    ///
    /// ```
    /// use std::path::Path;
    /// use converge_core::load::Folder;
    ///
    /// assert_eq!(Folder::read(Path::new("Cargo.toml")), None);
    /// let folder = Folder::read(Path::new("src")).ok_or("it is there")?;
    /// assert_eq!(folder.modules.len(), 0);
    /// assert_eq!(folder.problems[0].to_string(), "there is no module in src");
    /// # Ok::<(), &str>(())
    /// ```
    pub fn read(path: &Path) -> Option<Self> {
        Self::read_within(path, usize::MAX)
    }

    /// Searches a folder, but looks at no more than `entries` entries.
    ///
    /// An editor that opens a folder does not need everything in it.
    pub fn read_within(path: &Path, entries: usize) -> Option<Self> {
        if !path.is_dir() {
            return None;
        }
        let mut folder = Self { files: Vec::new(), modules: Vec::new(), problems: Vec::new() };
        let (mut open, mut left) = (vec![path.to_owned()], entries);
        while let Some(next) = open.pop() {
            if let Err(error) = folder.look_into(&next, &mut open, &mut left) {
                let name = next.display().to_string();
                folder.problems.push(SourceError::Unreadable { name, reason: error.to_string() });
            }
        }
        folder.files.sort();
        let module_of = |file: &PathBuf| module_folder(file).map_or_else(|| file.clone(), Path::to_owned);
        folder.modules = folder.files.iter().map(module_of).collect();
        folder.modules.sort();
        folder.modules.dedup();
        if folder.modules.is_empty() && folder.problems.is_empty() {
            folder.problems.push(SourceError::NoModules { folder: path.display().to_string() });
        }
        Some(folder)
    }

    fn look_into(&mut self, path: &Path, open: &mut Vec<PathBuf>, left: &mut usize) -> std::io::Result<()> {
        for entry in std::fs::read_dir(path)? {
            let Some(fewer) = left.checked_sub(1) else { break };
            *left = fewer;
            let entry = entry?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            // The kind of a link itself is used, so that a link to a parent folder causes no endless
            // recursion.
            let kind = entry.file_type()?;
            let path = entry.path();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && path.extension() == Some(OsStr::new("hcl")) {
                self.files.push(path);
            }
        }
        Ok(())
    }
}
