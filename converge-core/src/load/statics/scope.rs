//! What templates and expressions see while a module is loaded.

use std::cell::Cell;
use std::sync::Arc;

use super::check::Fields;
use super::{Outcome, Statics};
use crate::graph::Site;
use crate::report::{SourceMap, close_names};
use crate::scope::{Each, Scope, ScopeError};
use crate::system::Platform;
use crate::value::{Unknown, Value};

/// Who tells of names that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// Nobody else has looked at them.
    Open,
    /// They are looked at when the graph is linked.
    Linked,
}

/// The scope of what is written at one site.
pub(super) struct StaticScope<'a> {
    statics: &'a Statics,
    site: &'a Site,
    sources: &'a SourceMap,
    names: Names,
    /// The resource at hand, when there is one.
    fields: Option<&'a Fields<'a>>,
    saw_mistake: Cell<bool>,
}

impl<'a> StaticScope<'a> {
    pub(super) fn new(statics: &'a Statics, site: &'a Site, sources: &'a SourceMap, names: Names) -> Self {
        Self { statics, site, sources, names, fields: None, saw_mistake: Cell::new(false) }
    }

    /// The same, for a field of this resource.
    pub(super) fn of_node(self, fields: &'a Fields<'a>) -> Self {
        Self { fields: Some(fields), ..self }
    }

    pub(super) fn sources(&self) -> &'a SourceMap {
        self.sources
    }

    /// Whether something was unknown because of a mistake that is reported elsewhere.
    pub(super) fn saw_mistake(&self) -> bool {
        self.saw_mistake.get()
    }

    fn mistake(&self, name: &str) -> Value {
        self.saw_mistake.set(true);
        Value::unknown(format!("param.{name}"))
    }
}

impl Scope for StaticScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        let Some(param) = self.statics.param(self.site, name) else {
            return match self.names {
                Names::Linked => Ok(self.mistake(name)),
                Names::Open => {
                    let module = self.site.module.id.as_str();
                    let ids = self.statics.params.keys().filter(|id| id.scope() == module);
                    let mut known: Vec<&str> =
                        ids.filter_map(|id| id.name().strip_prefix("param.")).collect();
                    known.sort_unstable();
                    let close = close_names(name, known).into_iter().map(str::to_owned).collect();
                    Err(ScopeError::NotFound { what: "parameter", name: name.into(), close })
                }
            };
        };
        match self.statics.result(param, self.sources) {
            Some(Outcome::Value(value)) => Ok(value.clone()),
            Some(Outcome::Wrong(_)) | None => Ok(self.mistake(name)),
        }
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        Ok(Value::unknown(path))
    }

    fn env(&self, _: &str) -> String {
        String::new()
    }

    fn platform(&self) -> &Platform {
        &self.statics.nowhere
    }

    fn machine(&self) -> Result<(), Unknown> {
        Err(Unknown { waits_for: "the machine".into() })
    }

    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        match self.fields {
            Some(fields) => fields.this(field),
            None => Err(ScopeError::Message(format!("`self.{field}` is only known inside of a resource"))),
        }
    }

    fn each(&self) -> Option<&Each> {
        self.site.each.as_ref()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        let Some(directory) = &self.site.module.directory else {
            let message = format!("{path} cannot be read here: there is no module file that it is next to");
            return Err(ScopeError::Message(message));
        };
        self.statics.read(directory, path).map_err(ScopeError::Message)
    }
}
