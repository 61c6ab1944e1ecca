//! The names and values that templates and expressions can access during evaluation.

use std::borrow::Cow;
use std::sync::Arc;

use crate::debug_as_text;
use crate::diagnostic::{ReachedLimit, Suggest, close_names};
use crate::types::base_path::BasePath;
use crate::types::budget::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::value::{Unknown, Value};

/// Whether a path may end at a resource, whose value is then a map of all its exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Whole {
    /// Allowed in a computed expression.
    Allowed,
    /// Refused in a template.
    Refused,
}

/// The names and values that a template or an expression can access during evaluation.
pub trait Scope {
    /// Returns the value of a parameter of the module that contains the text.
    fn param(&self, name: &str) -> Result<Value, ScopeError>;

    /// Returns an exported value: `task.query.host.status.stdout`.
    fn lookup(&self, path: &str) -> Result<Value, ScopeError>;

    /// Returns the value of a name with dots in a computed expression, which may be a whole resource.
    ///
    /// The value of a resource is a map of its exports; for a resource with `for_each`, a map of these maps
    /// by key.
    fn traverse(&self, path: &str) -> Result<Value, ScopeError> {
        self.lookup(path)
    }

    /// Like [`param`](Self::param), without a copy of a value that the scope keeps.
    fn borrow_param(&self, name: &str) -> Result<Cow<'_, Value>, ScopeError> {
        self.param(name).map(Cow::Owned)
    }

    /// Like [`traverse`](Self::traverse), without a copy of a value that the scope keeps.
    fn borrow_traversal(&self, path: &str) -> Result<Cow<'_, Value>, ScopeError> {
        self.traverse(path).map(Cow::Owned)
    }

    /// Returns whether a name is a module or a `for_each`, whose parts have longer names.
    ///
    /// Such a part is requested by its own name, because the other parts may not be known yet.
    fn has_parts(&self, path: &str) -> bool {
        let _ = path;
        false
    }

    /// Returns an environment variable; empty if it is unset.
    fn env(&self, name: &str) -> String;

    /// Returns the facts about the machine.
    fn platform(&self) -> &Platform;

    /// Returns an error if [`env`](Self::env) and [`platform`](Self::platform) are not known yet.
    ///
    /// They are not known while a module is loaded.
    fn machine(&self) -> Result<(), Unknown> {
        Ok(())
    }

    /// Returns an error if functions of the program that may block cannot be called here.
    ///
    /// Such functions may ask a store or a server for their value.
    fn blocks(&self) -> Result<(), Unknown> {
        self.machine()
    }

    /// Returns another field of the current resource: `self.destination`.
    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!("`self.{field}` is only known inside of a resource")))
    }

    /// Returns the `for_each` item of the current resource.
    fn each(&self) -> Option<&Each> {
        None
    }

    /// Returns the cause if `each` is not known yet, because `for_each` is known only in a run.
    fn each_later(&self) -> Option<Unknown> {
        None
    }

    /// Records a value that was derived from a secret, so that it is redacted in all output.
    fn hide(&self, secret: &Value) {
        let _ = secret;
    }

    /// Returns the shared budget of evaluations; without one, only each evaluation is limited.
    fn budget(&self) -> Option<&WorkBudget> {
        None
    }

    /// Returns the functions of the program, for templates that are read in this scope.
    fn functions(&self) -> &ModuleFunctions {
        ModuleFunctions::NONE
    }

    /// Returns a folder that paths may be relative to.
    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!("`path.{}` is only known in a module", base.name())))
    }

    /// Returns the text of a file, given relative to the module.
    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        Err(ScopeError::Message(format!("{path} cannot be read here: there is no module that it is next to")))
    }

    /// Whether a file, given relative to the module, exists.
    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        Err(ScopeError::Message(format!(
            "{path} cannot be looked for here: there is no module that it is next to"
        )))
    }

    /// Returns the entries of a folder, given relative to the module, sorted and without duplicates.
    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        Err(ScopeError::Message(format!(
            "{folder} cannot be looked into here: there is no module that it is next to"
        )))
    }
}

/// The item of a `for_each` that one instance stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// `each.key`: the key of the map, or the item of the set.
    pub key: Arc<str>,
    /// `each.value`: the value at the key; for a set, the item itself.
    pub value: Value,
}

/// An error for a name without a value in a [`Scope`].
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// The name does not exist.
    #[error("there is no {what} `{name}`{}", Suggest(.close))]
    NotFound {
        /// The kind of the name: `parameter`, `resource`.
        what: &'static str,
        /// The name.
        name: String,
        /// Similar names that exist.
        close: Vec<String>,
    },
    /// The resource exists, but no dependency orders it before the current one.
    #[error("`{name}` is not a dependency: add `depends = [{name:?}]`")]
    NotADependency {
        /// The name that `depends` must list.
        name: String,
    },
    /// The resource is in a `switch` branch that was not taken, or under a `when` that is false.
    #[error("`{path}` has no value: {branch}")]
    NotTaken {
        /// The path of the `lookup`.
        path: String,
        /// The reason in words: `` `case "spanish"` of `switch.lang` was not taken ``.
        branch: String,
    },
    /// A limit was reached.
    #[error("{message}")]
    Limited {
        /// The explanation of the excess.
        message: String,
        /// The limit that was reached.
        limit: ReachedLimit,
    },
    /// Any other error.
    #[error("{0}")]
    Message(String),
}

debug_as_text!(ScopeError);

impl ScopeError {
    /// Creates an error that suggests the candidates similar to the name.
    #[doc(hidden)]
    pub fn not_found<'a>(
        what: &'static str,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let close = close_names(name, candidates);
        Self::NotFound { what, name: name.to_owned(), close }
    }
}
