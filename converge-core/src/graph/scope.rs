//! Lexical scopes: where things are written, and so what the names in them mean.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::environment::Environment;
use crate::diagnostic::Span;
use crate::language::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::id::NodeId;
use crate::types::scope::{Each, ScopeError};
use crate::types::tag::Tag;
use crate::types::visibility::Visible;

/// What reads the files that `file`, `templatefile`, `fileexists` and `fileset` of a module name, where that is not its folder.
pub(crate) trait ReadFiles: fmt::Debug + Send + Sync {
    /// The one name of a file, however the module writes it.
    fn name(&self, path: &str) -> Result<String, ScopeError>;

    /// The text of the file of a name.
    fn read(&self, name: &str, budget: &WorkBudget) -> Result<Arc<str>, ScopeError>;

    /// Whether there is a file of a name.
    fn exists(&self, name: &str, budget: &WorkBudget) -> Result<bool, ScopeError>;

    /// What is in a folder, as the module writes it.
    fn list(&self, folder: &str, budget: &WorkBudget) -> Result<Vec<FolderEntry>, ScopeError>;
}

/// A module as it is used at one place: a file that is called twice is two of these.
#[derive(Clone, Debug)]
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
    /// The words that all in it has: those of its call, and of the modules around it.
    pub tags: Arc<[Tag]>,
    /// The variables that all in it has: those of its call, and of the modules around it.
    pub environment: Arc<Environment>,
    /// Whether a run in which something in it fails is a success all the same: its call is optional, or that of a module around it.
    pub optional: bool,
    /// What reads its files, when it is not its directory.
    pub(crate) files: Option<Arc<dyn ReadFiles>>,
    /// What it sees of the machine.
    pub(crate) visible: Arc<Visible>,
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
    pub each: EachIs,
}

/// What `each` is where something is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EachIs {
    /// There is no `for_each` here.
    #[default]
    Nothing,
    /// It is this instance.
    Known(Each),
    /// Only a run knows which instances there are.
    KnownInRun,
}

impl EachIs {
    /// The instance at hand, where there is one.
    pub fn known(&self) -> Option<&Each> {
        match self {
            Self::Known(each) => Some(each),
            Self::Nothing | Self::KnownInRun => None,
        }
    }
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
            tags: Arc::default(),
            environment: Arc::default(),
            optional: false,
            files: None,
            visible: Arc::default(),
        };
        Arc::new(Self { container: NodeId::root(), module: Arc::new(module), each: EachIs::Nothing })
    }
}
