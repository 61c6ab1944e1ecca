//! A source of the module files below a directory.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod unix;
#[cfg(windows)]
mod windows;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use super::error::SourceError;
use super::file;
use super::listing::{self, Listing};
use super::module_source::{ModuleSource, relative_folder};
use super::read_limits::Reading;
use crate::types::folder_entry::FolderEntry;
#[cfg(target_os = "linux")]
use linux::Root;
#[cfg(all(unix, not(target_os = "linux")))]
use unix::Root;
#[cfg(windows)]
use windows::Root;

/// A source of the files below a directory, which no path and no symbolic link leaves.
///
/// This also holds while others change the directory. The directory is opened once, so it may be moved. On
/// macOS and FreeBSD no link is followed at all. On Windows the directory is known by its path, and a file
/// replaced between the check and the open would be read.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::{Loader, ModulesBelow, Sources};
///
/// let registry = Registry::new();
/// let sources = Sources::only(ModulesBelow::open("src")?);
/// let loader = Loader::new(&registry).with_sources(sources);
/// let error = loader.load("../Cargo.toml").into_graph().unwrap_err();
/// assert_eq!(error.diagnostics[0].code, "outside-source");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct ModulesBelow {
    /// The directories in the order in which a file is looked up.
    roots: Vec<Root>,
}

impl ModulesBelow {
    /// Opens the directory.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory, or may not be opened.
    pub fn open(root: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { roots: vec![Root::open(root.as_ref())?] })
    }

    /// Adds the files below another directory; files of earlier directories take precedence.
    ///
    /// # Errors
    ///
    /// Fails if it is not a directory, or may not be opened.
    pub fn and(mut self, root: impl AsRef<Path>) -> io::Result<Self> {
        self.roots.extend(Self::open(root)?.roots);
        Ok(self)
    }

    fn file(&self, name: &str) -> io::Result<File> {
        let mut missing = io::Error::from(io::ErrorKind::NotFound);
        for root in &self.roots {
            match root.file(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => missing = error,
                file => return file,
            }
        }
        Err(missing)
    }
}

impl ModuleSource for ModulesBelow {
    fn read(&self, name: &str, reading: &Reading) -> Result<Arc<str>, SourceError> {
        match self.file(name) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                Err(SourceError::Outside { written: name.to_owned() })
            }
            file => file::text(name, file, reading),
        }
    }

    fn exists(&self, name: &str, _: &Reading) -> Result<bool, SourceError> {
        let metadata = match self.file(name) {
            Ok(file) => file.metadata(),
            Err(error) => Err(error),
        };
        match metadata {
            Ok(metadata) => file::is_file(name, &metadata),
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                Err(SourceError::Outside { written: name.to_owned() })
            }
            Err(error) => file::absent(name, &error),
        }
    }

    /// Merges the folder of all directories; a name counts in the first directory that has it.
    fn list(
        &self,
        base: Option<&str>,
        reference: &str,
        _: &Reading,
    ) -> Result<Vec<FolderEntry>, SourceError> {
        let outside = || SourceError::Outside { written: reference.to_owned() };
        let folder = relative_folder(base, reference).ok_or_else(outside)?;
        let (mut listing, mut is_there) = (Listing::new(reference), false);
        for root in &self.roots {
            let entries = match root.list(&folder, listing::MAX_ENTRIES) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) if error.kind() == io::ErrorKind::CrossesDevices => return Err(outside()),
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    return Err(listing::no_folder(reference));
                }
                Err(error) => return Err(SourceError::unreadable(reference, &error)),
            };
            is_there = true;
            for (name, is_folder) in entries {
                let name = file::named(reference, &name)?;
                listing.add(if is_folder { FolderEntry::folder(name) } else { FolderEntry::file(name) })?;
            }
        }
        if is_there { Ok(listing.into_entries()) } else { Err(listing::missing(reference)) }
    }
}
