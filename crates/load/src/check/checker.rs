//! The state of the checks of one file's declarations.

use std::sync::Arc;

use crate::diagnostic::SourceMap;
use crate::graph::LexicalScope;
use crate::model::problems::Problems;
use crate::types::type_table::TypeTable;

pub(crate) struct Checker<'a> {
    pub(crate) types: &'a TypeTable<'a>,
    pub(crate) sources: &'a SourceMap,
    /// The scope that the nodes are assumed to be in while they are checked.
    pub(crate) scope: &'a Arc<LexicalScope>,
    pub(crate) problems: &'a mut Problems,
}
