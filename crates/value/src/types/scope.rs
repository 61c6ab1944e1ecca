//! What templates and expressions may see while they run.

use std::sync::Arc;

use crate::diagnostic::{ReachedLimit, Suggest, close_names};
use crate::types::base_path::BasePath;
use crate::types::budget::WorkBudget;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::value::{Unknown, Value};

/// Whether a path may end at a resource, which is then a map of all that it exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Whole {
    /// In a computed expression.
    Allowed,
    /// In a template.
    Refused,
}

/// What a template or an expression may see while it runs.
pub trait Scope {
    /// The value of a parameter of the module that it is written in.
    fn param(&self, name: &str) -> Result<Value, ScopeError>;

    /// An exported value: `task.query.host.status.stdout`.
    fn lookup(&self, path: &str) -> Result<Value, ScopeError>;

    /// What a computed expression means by a name with dots, which may be a whole resource: then it is a map
    /// of all that the resource exports; of a resource with `for_each`, a map of these by key.
    fn traverse(&self, path: &str) -> Result<Value, ScopeError> {
        self.lookup(path)
    }

    /// An environment variable; empty when it is unset.
    fn env(&self, name: &str) -> String;

    /// The machine.
    fn platform(&self) -> &Platform;

    /// What [`env`](Self::env) and [`platform`](Self::platform) wait for, where nothing is known of the
    /// machine yet: when a module is loaded.
    fn machine(&self) -> Result<(), Unknown> {
        Ok(())
    }

    /// What a function of the program waits for that may ask a store or a server for its value, where nothing may be waited for.
    fn blocks(&self) -> Result<(), Unknown> {
        self.machine()
    }

    /// Another field of the resource at hand: `self.destination`.
    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!("`self.{field}` is only known inside of a resource")))
    }

    /// What `for_each` gives the resource at hand.
    fn each(&self) -> Option<&Each> {
        None
    }

    /// What `each` waits for, where there are no instances yet: their `for_each` is known only in a run.
    fn each_later(&self) -> Option<Unknown> {
        None
    }

    /// Takes note of a value that came out of a secret, so that no output shows it.
    fn hide(&self, secret: &Value) {
        let _ = secret;
    }

    /// What all evaluations in scopes like this one may cost together; without it, only each one is limited.
    fn budget(&self) -> Option<&WorkBudget> {
        None
    }

    /// The functions of the program, for templates that are read in this scope.
    fn functions(&self) -> &ModuleFunctions {
        ModuleFunctions::NONE
    }

    /// A folder that paths may be named relative to.
    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        Err(ScopeError::Message(format!("`path.{}` is only known in a module", base.name())))
    }

    /// The text of a file, which is named relative to the module.
    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        Err(ScopeError::Message(format!("{path} cannot be read here: there is no module that it is next to")))
    }

    /// Whether there is a file, which is named relative to the module.
    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        Err(ScopeError::Message(format!(
            "{path} cannot be looked for here: there is no module that it is next to"
        )))
    }

    /// What is in a folder, which is named relative to the module: sorted, and each name once.
    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        Err(ScopeError::Message(format!(
            "{folder} cannot be looked into here: there is no module that it is next to"
        )))
    }
}

/// The part of a `for_each` that one instance stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Each {
    /// `each.key`: the key of the map, or the item of the set.
    pub key: Arc<str>,
    /// `each.value`: the value at the key; of a set the item itself.
    pub value: Value,
}

/// Why a [`Scope`] has no value for a name.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeError {
    /// Nothing has that name.
    #[error("there is no {what} `{name}`{}", Suggest(.close))]
    NotFound {
        /// What was looked for: `parameter`, `resource`.
        what: &'static str,
        /// The name.
        name: String,
        /// Names like it.
        close: Vec<String>,
    },
    /// It exists, but nothing says that it comes before this resource.
    #[error("`{name}` is not a dependency: add `depends = [{name:?}]`")]
    NotADependency {
        /// What `depends` has to name.
        name: String,
    },
    /// It is in a branch of a `switch` that was not taken, or under a `when` that is false.
    #[error("`{path}` has no value: {branch}")]
    NotTaken {
        /// The path of a `lookup`.
        path: String,
        /// Why, in words: `` `case "spanish"` of `switch.lang` was not taken ``.
        branch: String,
    },
    /// A limit was reached.
    #[error("{message}")]
    Limited {
        /// What would have been too much.
        message: String,
        /// Which limit.
        limit: ReachedLimit,
    },
    /// Anything else.
    #[error("{0}")]
    Message(String),
}

impl ScopeError {
    /// Of the candidates, those are named that are like the name.
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
