//! Lexical scopes: where things are written, and so what the names in them mean.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Span;
use crate::types::id::NodeId;
use crate::types::scope::Each;

/// A module as it is used at one place: a file that is called twice is two of these.
#[derive(Debug)]
pub struct Module {
    /// `root`, or `root/module.web`.
    pub id: NodeId,
    /// What messages call its source.
    pub source: Arc<str>,
    /// The directory that `file` and `templatefile` read from. `None` when it comes from no file.
    pub directory: Option<PathBuf>,
    /// The directory of the module that is run. `None` when that comes from no file.
    pub root: Option<PathBuf>,
    /// Where it is called; `None` for the root.
    pub call: Option<Span>,
}

/// Where the inputs of a node are written, and so what the names in them mean.
///
/// That is where the node is, with one exception: what a call gives to a parameter of a module is written at
/// the call.
#[derive(Clone, Debug)]
pub struct LexicalScope {
    /// Names are first looked up among what is directly in here: a module, or a case of a switch.
    pub container: NodeId,
    /// The module.
    pub module: Arc<Module>,
    /// What `each` is.
    pub each: Option<Each>,
}

impl LexicalScope {
    /// The top of a module that comes from no file.
    pub fn root() -> Arc<Self> {
        let module = Module {
            id: NodeId::root(),
            source: "the graph".into(),
            directory: None,
            root: None,
            call: None,
        };
        Arc::new(Self { container: NodeId::root(), module: Arc::new(module), each: None })
    }
}
