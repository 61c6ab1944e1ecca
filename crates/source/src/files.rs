//! File functions of modules whose files come from a source rather than a folder.
//!
//! These functions are `file`, `templatefile`, `fileexists` and `fileset`.

use std::sync::Arc;

use super::blocking_read;
use super::error::SourceError;
use super::module_source::ModuleSource;
use super::read_limits::Reading;
use crate::graph::ReadFiles;
use crate::language::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::scope::ScopeError;

/// The files that one module may read from a source.
#[derive(Debug)]
pub(super) struct SourceFiles {
    pub(super) files: Arc<dyn ModuleSource>,
    /// The name of the module, if it comes from a source.
    pub(super) base: Option<Arc<str>>,
}

impl ReadFiles for SourceFiles {
    fn name(&self, path: &str) -> Result<String, ScopeError> {
        Ok(self.files.resolve(self.base.as_deref(), path)?)
    }

    fn read(&self, name: &str, budget: &WorkBudget) -> Result<Arc<str>, ScopeError> {
        let file = name.to_owned();
        let text = self.ask(name, budget, move |files, reading| files.read(&file, reading))?;
        Reading::within(budget).check(name, text.len() as u64)?;
        Ok(text)
    }

    fn exists(&self, name: &str, budget: &WorkBudget) -> Result<bool, ScopeError> {
        let file = name.to_owned();
        Ok(self.ask(name, budget, move |files, reading| files.exists(&file, reading))?)
    }

    fn list(&self, folder: &str, budget: &WorkBudget) -> Result<Vec<FolderEntry>, ScopeError> {
        let (base, reference) = (self.base.clone(), folder.to_owned());
        let list = move |files: &dyn ModuleSource, reading: &Reading| {
            files.list(base.as_deref(), &reference, reading)
        };
        let mut entries = self.ask(folder, budget, list)?;
        // The source may return entries in any order, or one entry of several folders twice.
        entries.sort();
        entries.dedup_by(|one, other| one.name() == other.name());
        Ok(entries)
    }
}

impl SourceFiles {
    /// Calls the source, and stops waiting when the load is cancelled.
    fn ask<T: Send + 'static>(
        &self,
        name: &str,
        budget: &WorkBudget,
        ask: impl FnOnce(&dyn ModuleSource, &Reading) -> Result<T, SourceError> + Send + 'static,
    ) -> Result<T, SourceError> {
        let reading = Reading::within(budget);
        let Some(stop) = budget.stop() else { return ask(&*self.files, &reading) };
        let files = Arc::clone(&self.files);
        blocking_read::read_until(stop, name, move || ask(&*files, &reading))
    }
}
