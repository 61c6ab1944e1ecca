//! What `file` and `templatefile` read where a source says it.

use std::sync::Arc;

use super::module_source::ModuleSource;
use super::reading::Reading;
use super::waiting;
use crate::graph::ReadFiles;
use crate::language::WorkBudget;
use crate::types::scope::ScopeError;

/// The files that one module may read.
#[derive(Debug)]
pub(super) struct SourceFiles {
    pub(super) files: Arc<dyn ModuleSource>,
    /// The name of the module, where a source gave it one.
    pub(super) base: Option<Arc<str>>,
}

impl ReadFiles for SourceFiles {
    fn name(&self, path: &str) -> Result<String, ScopeError> {
        Ok(self.files.resolve(self.base.as_deref(), path)?)
    }

    fn read(&self, name: &str, budget: &WorkBudget) -> Result<Arc<str>, ScopeError> {
        let reading = Reading::within(budget);
        let text = match budget.stop() {
            None => self.files.read(name, &reading),
            Some(stop) => {
                let (files, within, file) = (Arc::clone(&self.files), reading.clone(), name.to_owned());
                waiting::read_until(stop, name, move || files.read(&file, &within))
            }
        }?;
        reading.check(name, text.len() as u64)?;
        Ok(text)
    }
}
