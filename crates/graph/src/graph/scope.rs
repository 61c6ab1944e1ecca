//! Lexical scopes, which give names in a module their meaning.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::environment::Environment;
use super::path_names::PathNames;
use crate::diagnostic::Span;
use crate::language::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::id::NodeId;
use crate::types::scope::{Each, ScopeError};
use crate::types::tag::Tag;
use crate::types::visibility::Visible;

/// A reader of the files that a module names, for modules that do not read from a folder.
///
/// The functions `file`, `templatefile`, `fileexists` and `fileset` use it.
#[doc(hidden)]
pub trait ReadFiles: fmt::Debug + Send + Sync {
    /// Returns the canonical name of a file.
    fn name(&self, path: &str) -> Result<String, ScopeError>;

    /// Returns the text of the file with this canonical name.
    fn read(&self, name: &str, budget: &WorkBudget) -> Result<Arc<str>, ScopeError>;

    /// Whether a file with this canonical name exists.
    fn exists(&self, name: &str, budget: &WorkBudget) -> Result<bool, ScopeError>;

    /// Returns the entries of a folder, named as in the module.
    fn list(&self, folder: &str, budget: &WorkBudget) -> Result<Vec<FolderEntry>, ScopeError>;
}

/// A module at one call site. A file that is called twice has two of these.
#[derive(Clone, Debug)]
pub struct Module {
    /// The id: `root`, or `root/module.web`.
    pub id: NodeId,
    /// The name of its source in messages.
    pub source: Arc<str>,
    /// The directory that `file` and `templatefile` read from, or `None` if the module has no file.
    pub directory: Option<PathBuf>,
    /// The directory of the root module, or `None` if that has no file.
    pub root: Option<PathBuf>,
    /// The span of the call; `None` for the root.
    pub call: Option<Span>,
    /// The tags of all contents: those of the call and of enclosing modules.
    pub tags: Arc<[Tag]>,
    /// The variables of all contents: those of the call and of enclosing modules.
    pub environment: Arc<Environment>,
    /// Whether failures inside do not fail the run, because this call or an enclosing one is optional.
    pub optional: bool,
    /// The reader of its files, if they are not in its directory.
    #[doc(hidden)]
    pub files: Option<Arc<dyn ReadFiles>>,
    /// The facts of the machine that it may see.
    #[doc(hidden)]
    pub visible: Arc<Visible>,
    /// The canonical names of the paths that its resources name.
    #[doc(hidden)]
    pub paths: Arc<PathNames>,
}

/// The scope in which the inputs of a node are evaluated.
///
/// It is the scope around the node, with one exception: a value that a call gives to a parameter is evaluated
/// at the call.
#[derive(Clone, Debug)]
pub struct LexicalScope {
    /// The container in which names are looked up first: a module, or a case of a switch.
    pub container: NodeId,
    /// The module.
    pub module: Arc<Module>,
    /// The meaning of `each`.
    pub each: EachIs,
}

/// The meaning of `each` in a scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EachIs {
    /// The scope is not in a `for_each`.
    #[default]
    Nothing,
    /// This instance.
    Known(Each),
    /// An instance that only a run knows.
    KnownInRun,
}

impl EachIs {
    /// Returns the current instance, if it is known.
    pub fn known(&self) -> Option<&Each> {
        match self {
            Self::Known(each) => Some(each),
            Self::Nothing | Self::KnownInRun => None,
        }
    }
}

impl LexicalScope {
    /// Returns the scope at the top of a module without a file.
    pub fn root() -> Arc<Self> {
        let module = Module {
            id: NodeId::root(),
            source: "the graph".into(),
            directory: None,
            root: None,
            call: None,
            tags: Arc::default(),
            environment: Arc::default(),
            optional: false,
            files: None,
            visible: Arc::default(),
            paths: Arc::default(),
        };
        Arc::new(Self { container: NodeId::root(), module: Arc::new(module), each: EachIs::Nothing })
    }
}
