//! What checks the declarations of a file.

use std::sync::Arc;

use crate::diagnostic::SourceMap;
use crate::graph::LexicalScope;
use crate::load::problems::Problems;
use crate::load::type_table::TypeTable;

pub(crate) struct Checker<'a> {
    pub(crate) types: &'a TypeTable<'a>,
    pub(crate) sources: &'a SourceMap,
    /// Where the nodes are thought to be while they are checked.
    pub(crate) scope: &'a Arc<LexicalScope>,
    pub(crate) problems: &'a mut Problems,
}
