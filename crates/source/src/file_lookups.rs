//! File checks of modules for `fileexists` and `fileset`.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::blocking_read;
use super::error::SourceError;
use super::file::{ModuleText, exists, list_plain};
use super::read_limits::Reading;
use crate::graph::Module;
use crate::language::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::scope::ScopeError;

/// Lists a folder relative to a module, for `fileset`; the names count as read text.
///
/// # Errors
///
/// Fails if the module may read no files, if the source cannot list files, or if the folder cannot be read.
#[doc(hidden)]
pub fn list_folder(
    module: &Module,
    folder: &str,
    budget: &WorkBudget,
) -> Result<Arc<[FolderEntry]>, ScopeError> {
    let entries = match (&module.files, &module.directory) {
        (Some(files), _) => files.list(folder, budget)?,
        (None, Some(directory)) => {
            let (base, path) = (directory.clone(), directory.join(folder));
            let name = path.display().to_string();
            match budget.stop() {
                None => list_plain(&base, &path, &Reading::within(budget))?,
                Some(stop) => {
                    let reading = Reading::within(budget);
                    blocking_read::read_until(stop, &name, move || list_plain(&base, &path, &reading))?
                }
            }
        }
        (None, None) => return Err(SourceError::NoFolder { path: folder.to_owned() }.into()),
    };
    let bytes = entries.iter().map(|entry| entry.name().len()).sum();
    Reading::within(budget).check(folder, bytes as u64)?;
    budget.count_text(bytes);
    Ok(entries.into())
}

impl ModuleText<'_> {
    /// Returns whether the file exists; anything other than a file is an error.
    ///
    /// # Errors
    ///
    /// Fails if the source cannot tell.
    #[doc(hidden)]
    pub fn exists(&self, budget: &WorkBudget) -> Result<bool, ScopeError> {
        if let Some(files) = &self.module.files {
            return files.exists(&self.name.to_string_lossy(), budget);
        }
        let display_name = self.name.display().to_string();
        let Some(stop) = budget.stop() else { return Ok(exists(&self.name)?) };
        let path = self.name.clone();
        Ok(blocking_read::read_until(stop, &display_name, move || exists(&path))?)
    }
}
