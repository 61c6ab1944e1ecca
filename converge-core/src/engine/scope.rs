//! What the templates of one node see.

use crate::error::Result;
use crate::export::Exports;
use crate::graph::{Node, NodeId, NodeIndex, Resolved};
use crate::resource::Renderer;
use crate::system::Platform;
use crate::template::{Scope, ScopeError, Template};
use crate::value::Value;

use super::shared::Shared;

/// The scope of one node: the parameters of its module, and the exports of what it depends on.
pub(super) struct NodeScope<'a> {
    shared: &'a Shared,
    index: NodeIndex,
    node: &'a Node,
}

impl<'a> NodeScope<'a> {
    pub(super) fn new(shared: &'a Shared, index: NodeIndex) -> Self {
        Self { shared, index, node: shared.graph.node(index) }
    }

    /// The value at `field` of a node that is a dependency.
    fn export(&self, target: NodeIndex, field: &[&str]) -> Result<Value, ScopeError> {
        let node = self.shared.graph.node(target);
        let name = node.id.name();
        if !self.shared.graph.depends_on(self.index, target) {
            return Err(ScopeError::NotADependency { name: name.to_string() });
        }
        let exports = self.shared.exports(target);
        match exports.and_then(|exports| find(exports, field)) {
            Some(value) => Ok(value.clone()),
            None if field.is_empty() => Err(ScopeError::Message(format!(
                "`{name}` is a resource: name one of its exports, as in `{name}.FIELD`"
            ))),
            None => Err(ScopeError::Message(format!("`{name}` exports no `{}`", field.join(".")))),
        }
    }
}

/// The value at a path. What is inside an unknown value is unknown.
fn find<'a>(exports: &'a Exports, path: &[&str]) -> Option<&'a Value> {
    let unknown = |value: &&Value| matches!(value, Value::Unknown(_));
    exports.get(path).or_else(|| (1..path.len()).find_map(|len| exports.get(&path[..len]).filter(unknown)))
}

impl Scope for NodeScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        let module = &self.node.site.module.id;
        match self.shared.graph.find(&format!("{module}/param.{name}")) {
            Some(index) => self.export(index, &["val"]),
            None => Err(ScopeError::NotFound { what: "parameter", name: name.into(), close: Vec::new() }),
        }
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        match self.shared.graph.resolve(&self.node.site.container, path) {
            // Several cases can only be told apart when it is known which was taken.
            Some(Resolved { targets, field }) => match targets.as_slice() {
                [node, ..] => self.export(*node, &field),
                [] => Err(ScopeError::Message(format!("`{path}` leads nowhere"))),
            },
            None => Err(ScopeError::NotFound { what: "resource", name: path.into(), close: Vec::new() }),
        }
    }

    fn env(&self, name: &str) -> String {
        self.shared.system.env(name).unwrap_or_default()
    }

    fn platform(&self) -> &Platform {
        self.shared.system.platform()
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
