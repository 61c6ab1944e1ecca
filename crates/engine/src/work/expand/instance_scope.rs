//! The scope of the nodes of an instance that is about to be added.
//!
//! None of the nodes has been worked on. Parameters, locals and outputs are evaluated on demand, as in a
//! load. The exports of resources in the instance are unknown. Everything else comes from the scope of the
//! end node of the `for_each`, which waits for all of it.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use crate::evaluate::Evaluator;
use crate::graph::{Node, Pattern, Role, param, resolve_path};
use crate::inputs::scope::NodeScope;
use crate::language::{BasePath, WorkBudget};
use crate::tables::managed_so_far::Values;
use crate::types::assumed_values::Assumed;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::schema::Kind;
use crate::types::scope::{Each, Scope, ScopeError};
use crate::types::value::{Unknown, Value};

/// The nodes of an instance.
pub(super) struct Instance<'a> {
    end: &'a NodeScope<'a>,
    pattern: &'a Pattern<Node>,
    nodes: &'a [Node],
    /// The known values of parameters, by position.
    params: Vec<Param>,
    /// Assumed exports, by node and field: each export is assumed to equal the declared field of its name.
    assumed: Option<Assumed<(usize, usize)>>,
}

#[derive(Default)]
struct Param {
    value: OnceCell<Value>,
    is_open: Cell<bool>,
}

impl<'a> Instance<'a> {
    pub(super) fn new(end: &'a NodeScope<'a>, pattern: &'a Pattern<Node>, nodes: &'a [Node]) -> Self {
        let params = nodes.iter().map(|_| Param::default()).collect();
        Self { end, pattern, nodes, params, assumed: None }
    }

    /// Returns the same instance, with exports assumed to equal the declared fields of their names.
    pub(super) fn assuming(&self) -> Self {
        Self { assumed: Some(Assumed::default()), ..Self::new(self.end, self.pattern, self.nodes) }
    }

    /// Returns the export that a node will most likely have.
    fn export(&self, place: usize, name: &str) -> Option<Value> {
        let (assumed, node) = (self.assumed.as_ref()?, self.nodes.get(place)?);
        let field = node.field_of_export(name)?;
        let default = || node.resource.schema().fields.get(field)?.default.clone();
        assumed.value((place, field), || self.field(node, field, &[]).or_else(default))
    }

    /// Returns the known values of the fields of a node. Errors are reported when the node is worked on.
    pub(super) fn values(&self, place: usize) -> Values {
        let Some(node) = self.nodes.get(place) else { return Values::new() };
        let fields = &node.resource.schema().fields;
        let mut values: Values = vec![None; fields.len()];
        for attribute in node.attributes.iter() {
            if let Some(slot) = values.get_mut(attribute.field) {
                *slot = self.field(node, attribute.field, &[]);
            }
        }
        values
    }

    /// Returns the declared value of a field, or `None` if there is none.
    ///
    /// `open` lists the fields of the node that are being evaluated.
    fn field(&self, node: &Node, index: usize, open: &[usize]) -> Option<Value> {
        let field = node.resource.schema().fields.get(index)?;
        let attribute = node.attributes.iter().find(|attribute| attribute.field == index)?;
        let open = [open, &[index]].concat();
        let scope = InstanceScope { instance: self, node, end: self.end.for_instance(node), open };
        let mut evaluator = Evaluator::new(&scope, self.end.shared().graph.sources(), node.span);
        let value = evaluator.input(&attribute.input, &field.kind);
        let value = value.unwrap_or_else(|| Value::unknown("a value that is wrong"));
        Some(if field.sensitive { value.into_secret() } else { value })
    }

    fn find(&self, id: &str) -> Option<usize> {
        self.nodes.binary_search_by(|node| node.id.as_str().cmp(id)).ok()
    }

    /// Returns the value of a parameter, a local or an output.
    fn param(&self, place: usize) -> Value {
        let unknown = |node: &Node| Value::unknown(node.id.name());
        let (Some(param), Some(node)) = (self.params.get(place), self.nodes.get(place)) else {
            return Value::Null;
        };
        if let Some(value) = param.value.get() {
            return value.clone();
        }
        // The loader refuses cycles, but a computed name can still create one.
        if param.is_open.replace(true) {
            return unknown(node);
        }
        let value = node.param_value().map_or(Value::Null, |input| {
            let open = vec![param::VALUE_FIELD];
            let scope = InstanceScope { instance: self, node, end: self.end.for_instance(node), open };
            let mut evaluator = Evaluator::new(&scope, self.end.shared().graph.sources(), node.span);
            let value = evaluator.input(input, &Kind::Any);
            let param_value = value.and_then(|value| match node.param_rules() {
                Some(rules) => rules.take(value).ok(),
                None => Some(value),
            });
            param_value.unwrap_or_else(|| unknown(node))
        });
        param.is_open.set(false);
        param.value.get_or_init(|| value).clone()
    }
}

/// The scope of one node of an instance.
struct InstanceScope<'a> {
    instance: &'a Instance<'a>,
    node: &'a Node,
    end: NodeScope<'a>,
    /// The fields of the node that are being evaluated.
    open: Vec<usize>,
}

/// The target of a name.
enum Found {
    /// A node of the instance.
    Here(usize),
    /// Cases in the instance, of which a run takes one.
    Cases,
    Elsewhere,
}

impl InstanceScope<'_> {
    fn find(
        &self,
        path: &str,
        elsewhere: impl Fn(&str) -> Result<Value, ScopeError>,
    ) -> Result<Value, ScopeError> {
        let nodes = self.instance.nodes;
        match self.resolve(path) {
            Some((Found::Here(place), field)) => {
                let role = nodes.get(place).map(|node| node.role);
                Ok(match (role, field.as_slice()) {
                    (Some(Role::Param), ["val"]) | (Some(Role::Output), []) => self.instance.param(place),
                    (Some(Role::Resource), [name]) => {
                        self.instance.export(place, name).unwrap_or_else(|| Value::unknown(path))
                    }
                    _ => Value::unknown(path),
                })
            }
            Some((Found::Cases, _)) => Ok(Value::unknown(path)),
            Some((Found::Elsewhere, _)) | None => elsewhere(path),
        }
    }

    fn resolve<'p>(&self, path: &'p str) -> Option<(Found, Vec<&'p str>)> {
        let Instance { nodes, pattern, .. } = *self.instance;
        let graph = &self.end.shared().graph;
        let in_case = |id: &str| {
            let mut in_cases = nodes.iter().filter_map(|node| node.id.next_to_switch());
            pattern.has_cases() && in_cases.any(|next| next.as_str() == id)
        };
        resolve_path(&self.node.scope.container, path, |id| {
            let local_target = self.instance.find(id).map(Found::Here);
            let local_target = local_target.or_else(|| in_case(id).then_some(Found::Cases));
            local_target.or_else(|| graph.targets(id).map(|_| Found::Elsewhere))
        })
    }
}

impl Scope for InstanceScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        let id = self.node.scope.module.id.param(name);
        match self.instance.find(&id) {
            // In the rules of a parameter, its own name refers to its value.
            Some(place) if self.instance.nodes.get(place).is_some_and(|node| node.id == self.node.id) => {
                self.this("default")
            }
            Some(place) => Ok(self.instance.param(place)),
            None => self.end.param(name),
        }
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.find(path, |path| self.end.lookup(path))
    }

    fn traverse(&self, path: &str) -> Result<Value, ScopeError> {
        self.find(path, |path| self.end.traverse(path))
    }

    fn has_parts(&self, path: &str) -> bool {
        matches!(self.resolve(path), Some((Found::Elsewhere, _))) && self.end.has_parts(path)
    }

    fn env(&self, name: &str) -> String {
        self.end.env(name)
    }

    fn platform(&self) -> &Platform {
        self.end.platform()
    }

    fn blocks(&self) -> Result<(), Unknown> {
        self.end.blocks()
    }

    fn this(&self, name: &str) -> Result<Value, ScopeError> {
        let schema = self.node.resource.schema();
        let Some((index, field)) = schema.field(name) else {
            return Err(ScopeError::not_found("field", name, schema.fields.iter().map(|field| field.name)));
        };
        // The loader refuses cycles, but a computed name can still create one.
        if self.open.contains(&index) {
            return Ok(Value::unknown(format!("self.{name}")));
        }
        let field_value = self.instance.field(self.node, index, &self.open);
        Ok(field_value.or_else(|| field.default.clone()).unwrap_or_default())
    }

    fn budget(&self) -> Option<&WorkBudget> {
        self.end.budget()
    }

    fn functions(&self) -> &ModuleFunctions {
        self.end.functions()
    }

    fn each(&self) -> Option<&Each> {
        self.end.each()
    }

    fn hide(&self, secret: &Value) {
        self.end.hide(secret);
    }

    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        self.end.path(base)
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        self.end.read(path)
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        self.end.exists(path)
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        self.end.list(folder)
    }
}
