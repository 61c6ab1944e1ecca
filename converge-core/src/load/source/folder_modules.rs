//! Modules that are a folder: which files they have.
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

/// How many files one module may have.
const MOST_FILES: usize = 1_000;

impl Source {
    /// The folder that the file of a path is part of as a module, when there is a `module.hcl` beside it.
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

    /// The folder of the module: that which holds its file, or all of its files. There is its lock file. `None` when it comes from no file.
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

    /// The same place, of which all files of the folder are the module.
    pub(super) fn of_folder(self) -> Self {
        Self { whole: Whole::Folder, ..self }
    }
}

impl Sources {
    /// The same place, known to be a file or the files of a folder: a folder becomes the `module.hcl` in it, with all files beside
    /// that. What is named like a module file is one, and is not looked at.
    ///
    /// # Errors
    ///
    /// It is a folder without a `module.hcl`, or cannot be looked at in time.
    pub(crate) fn settle(&self, source: Source, reading: &Reading) -> Result<Source, SourceError> {
        let named = match &source.location {
            #[cfg(feature = "git")]
            Location::Git { path, .. } => path,
            _ => source.name(),
        };
        if source.whole == Whole::Folder || is_module_name(Path::new(&**named)) {
            return Ok(source);
        }
        let Some(stop) = reading.stop() else { return self.settle_here(source, reading) };
        let (sources, within, name) = (self.clone(), reading.clone(), Arc::clone(source.name()));
        blocking_read::read_until(stop, &name, move || sources.settle_here(source, &within))
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
                    // It is no folder, which reading it tells.
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
                // What lists nothing has no folders. Whether there is such a module is told when it is read.
                let Ok(entries) = only.list(None, name, reading) else { return Ok(source) };
                if !files_of(&entries).any(|file| file == MODULE_FILE) {
                    // It may be a module too, where folders are nothing but what names begin with.
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

    /// The files of a module that is a folder, by name; `None` of one that is a file.
    ///
    /// # Errors
    ///
    /// The folder cannot be listed, or has too many files.
    pub(crate) fn members(
        &self,
        source: &Source,
        reading: &Reading,
    ) -> Result<Option<Vec<Source>>, SourceError> {
        if source.whole == Whole::File {
            return Ok(None);
        }
        let Some(stop) = reading.stop() else { return self.members_here(source, reading).map(Some) };
        let (sources, there, within) = (self.clone(), source.clone(), reading.clone());
        blocking_read::read_until(stop, source.name(), move || sources.members_here(&there, &within))
            .map(Some)
    }

    fn members_here(&self, source: &Source, reading: &Reading) -> Result<Vec<Source>, SourceError> {
        let entries = match (&source.location, &self.only) {
            (Location::File(file), None) => {
                let folder = file.directory();
                let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                list_plain(folder, here, reading)?
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

/// The names of module files in a folder, sorted. Hidden ones are left out, as editors keep theirs that way.
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
