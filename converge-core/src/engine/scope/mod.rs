//! What the templates and expressions of one node see.

mod close;
mod exports;
mod this;

use std::borrow::Cow;
use std::sync::Arc;

use self::this::Fields;
use super::shared::Shared;
use crate::error::Result;
use crate::graph::{Node, NodeId, NodeIndex, Resolved, Targets};
use crate::load::read_text;
use crate::resource::Renderer;
use crate::scope::{Each, Whole};
use crate::system::Platform;
use crate::template::{Scope, ScopeError, Template};
use crate::value::Value;

/// The scope of one node: the parameters of the module that it is written in, its own fields, and the
/// exports of what it depends on.
pub(super) struct NodeScope<'a> {
    shared: &'a Shared,
    index: NodeIndex,
    node: &'a Node,
    fields: Fields,
}

impl<'a> NodeScope<'a> {
    pub(super) fn new(shared: &'a Shared, index: NodeIndex) -> Self {
        Self { shared, index, node: shared.graph.node(index), fields: Fields::default() }
    }

    fn find(&self, path: &str, whole: Whole) -> Result<Value, ScopeError> {
        let found = self.shared.graph.resolve(&self.node.site.container, path);
        let Some(Resolved { targets, field }) = found else {
            let close = close::resources(&self.shared.graph, &self.node.site.container, path);
            return Err(ScopeError::NotFound { what: "resource", name: path.into(), close });
        };
        let target = match targets {
            Targets::One(target) => target,
            Targets::Cases(nodes) => self.taken(nodes, path)?,
        };
        self.export(target, path, &field, whole).map(Cow::into_owned)
    }
}

impl Scope for NodeScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        let module = &self.node.site.module.id;
        match self.shared.graph.find(&module.param(name)) {
            // What a parameter says about itself is said about its value.
            Some(index) if index == self.index => self.this("default"),
            Some(index) => self.export(index, name, &["val"], Whole::Refused).map(Cow::into_owned),
            None => {
                let close = close::params(&self.shared.graph, module, name);
                Err(ScopeError::NotFound { what: "parameter", name: name.into(), close })
            }
        }
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.find(path, Whole::Refused)
    }

    fn traverse(&self, path: &str) -> Result<Value, ScopeError> {
        self.find(path, Whole::Allowed)
    }

    fn env(&self, name: &str) -> String {
        self.shared.system.env(name).unwrap_or_default()
    }

    fn platform(&self) -> &Platform {
        self.shared.system.platform()
    }

    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        self.field(field, None)
    }

    fn each(&self) -> Option<&Each> {
        self.node.site.each.as_ref()
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        read_text(self.node.site.module.directory.as_deref(), path)
            .map_err(|error| ScopeError::Message(error.to_string()))
    }
}

impl Renderer for NodeScope<'_> {
    fn id(&self) -> &NodeId {
        &self.node.id
    }

    fn render(&self, name: &str, template: &str) -> Result<Value> {
        let rendered = Template::parse(template).and_then(|template| template.render(self));
        rendered.map_err(|error| crate::Error::from(error).context(name))
    }
}
