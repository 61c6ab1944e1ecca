//! The files of modules that are folders.
#![expect(clippy::disallowed_methods, reason = "modules are read where the program runs, not on the system")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::SourceError;
use super::file::list_plain;
use super::module_folder::{MODULE_FILE, is_module_name, module_folder};
#[cfg(feature = "git")]
use super::module_source::ModuleSource as _;
use super::read_limits::Reading;
use super::{Location, Source, Sources, Whole, blocking_read};
use crate::types::folder_entry::FolderEntry;

/// The maximum number of files of one module.
const MOST_FILES: usize = 1_000;

impl Source {
    /// Returns the folder that a file belongs to as a module, which needs a `module.hcl` beside the file.
    ///
    /// ```
    /// use std::path::Path;
    /// use converge_core::load::Source;
    ///
    /// assert_eq!(Source::folder_of(Path::new("Cargo.toml")), None);
    /// ```
    pub fn folder_of(path: &Path) -> Option<Self> {
        module_folder(path).map(|folder| Self::file(folder.join(MODULE_FILE)).of_folder())
    }

    /// Returns the folder with the module's file or files, where its lock file is.
    ///
    /// Returns `None` if the module does not come from a file.
    ///
    /// ```
    /// use std::path::PathBuf;
    /// use converge_core::load::Source;
    ///
    /// assert_eq!(Source::file("site/main.hcl").folder(), Some(PathBuf::from("site")));
    /// // A folder is its own.
    /// assert_eq!(Source::file("src").folder(), Some(PathBuf::from("src")));
    /// ```
    pub fn folder(&self) -> Option<PathBuf> {
        match &self.location {
            Location::File(file) if file.path().is_dir() => Some(file.path().to_owned()),
            Location::File(file) => Some(file.directory().to_owned()),
            _ => None,
        }
    }

    /// Marks all files in the folder of this file as the module.
    pub(super) fn of_folder(self) -> Self {
        Self { whole: Whole::Folder, ..self }
    }
}

impl Sources {
    /// Determines whether a source is a file or a folder of files.
    ///
    /// A folder becomes the `module.hcl` in it together with all files beside that. A name with the ending of
    /// module files is a file, and is not looked up.
    ///
    /// # Errors
    ///
    /// Fails if the source is a folder without a `module.hcl`, or if it cannot be examined in time.
    #[doc(hidden)]
    pub fn settle(&self, source: Source, reading: &Reading) -> Result<Source, SourceError> {
        let path = match &source.location {
            #[cfg(feature = "git")]
            Location::Git { path, .. } => path,
            _ => source.name(),
        };
        if source.whole == Whole::Folder || is_module_name(Path::new(&**path)) {
            return Ok(source);
        }
        let Some(stop) = reading.stop() else { return self.settle_here(source, reading) };
        let (sources, own_reading, name) = (self.clone(), reading.clone(), Arc::clone(source.name()));
        blocking_read::read_until(stop, &name, move || sources.settle_here(source, &own_reading))
    }

    fn settle_here(&self, source: Source, reading: &Reading) -> Result<Source, SourceError> {
        match (&source.location, &self.only) {
            (Location::File(file), None) if file.path().is_dir() => {
                let module = file.path().join(MODULE_FILE);
                if module.is_file() || self.has_text(&Source::file(&module)) {
                    return Ok(Source::file(module).of_folder());
                }
                Err(SourceError::NoModuleFile { folder: source.to_string() })
            }
            #[cfg(feature = "git")]
            (Location::Git { tree, path }, None) => {
                let entries = match tree.list(None, if path.is_empty() { "." } else { path }, reading) {
                    Ok(entries) => entries,
                    // The path is not a folder; reading it reports any error.
                    Err(SourceError::Unreadable { .. }) => return Ok(source),
                    Err(error) => return Err(error),
                };
                if !files_of(&entries).any(|file| file == MODULE_FILE) {
                    return Err(SourceError::NoModuleFile { folder: source.to_string() });
                }
                let module = format!("{path}/{MODULE_FILE}");
                Ok(Source::in_git(Arc::clone(tree), module.trim_start_matches('/')).of_folder())
            }
            (Location::Named(name), Some(only)) => {
                // A source that lists nothing has no folders. A missing module is reported when it is read.
                let Ok(entries) = only.list(None, name, reading) else { return Ok(source) };
                if !files_of(&entries).any(|file| file == MODULE_FILE) {
                    // If folders are only prefixes of names, the name may also be that of a module.
                    if only.exists(name, reading).is_ok_and(|is_there| is_there) {
                        return Ok(source);
                    }
                    return Err(SourceError::NoModuleFile { folder: source.to_string() });
                }
                let module = only.resolve(None, &format!("{}/{MODULE_FILE}", name.trim_end_matches('/')))?;
                Ok(Source::named(module).of_folder())
            }
            _ => Ok(source),
        }
    }

    /// Returns the files of a module that is a folder, sorted by name; `None` for a single file.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be listed, or has too many files.
    #[doc(hidden)]
    pub fn members(&self, source: &Source, reading: &Reading) -> Result<Option<Vec<Source>>, SourceError> {
        if source.whole == Whole::File {
            return Ok(None);
        }
        let Some(stop) = reading.stop() else { return self.members_here(source, reading).map(Some) };
        let (sources, own_source, own_reading) = (self.clone(), source.clone(), reading.clone());
        blocking_read::read_until(stop, source.name(), move || {
            sources.members_here(&own_source, &own_reading)
        })
        .map(Some)
    }

    fn members_here(&self, source: &Source, reading: &Reading) -> Result<Vec<Source>, SourceError> {
        let entries = match (&source.location, &self.only) {
            (Location::File(file), None) => {
                let folder = file.directory();
                let base_folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                list_plain(folder, base_folder, reading)?
            }
            (Location::Named(name), Some(only)) => only.list(Some(name), ".", reading)?,
            #[cfg(feature = "git")]
            (Location::Git { tree, path }, None) => tree.list(Some(path), ".", reading)?,
            _ => return Err(SourceError::Outside { written: source.to_string() }),
        };
        let names: Vec<&str> = files_of(&entries).collect();
        if names.len() > MOST_FILES {
            let folder = source.name().trim_end_matches(MODULE_FILE).trim_end_matches('/');
            return Err(SourceError::TooMany { folder: folder.to_owned(), most: MOST_FILES });
        }
        let member = |file: &&str| match (&source.location, &self.only) {
            (Location::Named(module), Some(only)) => only.resolve(Some(module), file).map(Source::named),
            (Location::File(module), None) => Ok(Source::file(module.join(file))),
            #[cfg(feature = "git")]
            (Location::Git { tree, path }, None) => {
                Ok(Source::in_git(Arc::clone(tree), tree.resolve(Some(path), file)?))
            }
            _ => Err(SourceError::Outside { written: (*file).to_owned() }),
        };
        names.iter().map(member).collect()
    }
}

/// Returns the sorted names of module files; hidden ones, often backups of editors, are left out.
fn files_of(entries: &[FolderEntry]) -> impl Iterator<Item = &str> {
    let mut names: Vec<&str> = entries
        .iter()
        .filter(|entry| !entry.is_folder())
        .map(FolderEntry::name)
        .filter(|name| is_module_name(Path::new(name)) && !name.starts_with('.'))
        .collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter()
}
