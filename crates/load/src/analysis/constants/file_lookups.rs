//! Cached answers about files during a load.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::graph::Module;
use crate::language::WorkBudget;
use converge_source::{ModuleText, list_folder};
use converge_value::types::folder_entry::FolderEntry;
use converge_value::types::id::NodeId;
use converge_value::types::scope::ScopeError;

/// The ID of the asking module and the path; the same path means another file in another module.
type Asked = (NodeId, String);

type Answers<T> = RefCell<HashMap<Asked, Result<T, ScopeError>>>;

/// The answers to `fileexists` and `fileset`.
///
/// Each question is asked once, so that a load gets one answer even if the files change meanwhile.
#[derive(Default)]
pub(super) struct FileLooks {
    exist: Answers<bool>,
    folders: Answers<Arc<[FolderEntry]>>,
}

impl FileLooks {
    pub(super) fn exists(
        &self,
        module: &Module,
        path: &str,
        budget: &WorkBudget,
    ) -> Result<bool, ScopeError> {
        once(&self.exist, module, path, || ModuleText::new(module, path)?.exists(budget))
    }

    pub(super) fn list(
        &self,
        module: &Module,
        folder: &str,
        budget: &WorkBudget,
    ) -> Result<Arc<[FolderEntry]>, ScopeError> {
        once(&self.folders, module, folder, || list_folder(module, folder, budget))
    }
}

fn once<T: Clone>(
    answers: &Answers<T>,
    module: &Module,
    path: &str,
    ask: impl FnOnce() -> Result<T, ScopeError>,
) -> Result<T, ScopeError> {
    answers.borrow_mut().entry((module.id.clone(), path.to_owned())).or_insert_with(ask).clone()
}
