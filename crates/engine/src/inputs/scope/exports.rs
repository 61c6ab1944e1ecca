//! Exports that a node may read from its dependencies.
//!
//! Exports are kept only for nodes that have dependents, so a run over 100,000 files needs no more memory
//! than its graph. End nodes keep none: their exports are assembled from their parts when they are looked up.

use std::borrow::Cow;

use indexmap::IndexMap;

use crate::graph::OUTPUT;
use crate::graph::{EdgeReason, Node, NodeIndex, Role};
use crate::language::template::ScopeError;
use crate::sdk::export::Exports;
use crate::tables::node_flags::{NOT_TAKEN, VARIES};
use crate::tables::run_tables::Shared;
use crate::tables::selection::LEFT_OUT;
use crate::types::scope::Whole;
use crate::types::value::Value;

/// The export of a module that holds its parameters.
const PARAMS: &str = "params";

/// The export of a parameter, a local or an output that holds its value.
const VALUE: &str = "val";

/// The exports of the dependencies of a node.
#[derive(Clone, Copy)]
pub(super) struct Dependencies<'a> {
    pub(super) shared: &'a Shared,
    pub(super) index: NodeIndex,
    pub(super) node: &'a Node,
}

impl<'a> Dependencies<'a> {
    /// Returns the node in the case that was taken, among the nodes in several cases of a switch.
    pub(super) fn taken(&self, nodes: &[NodeIndex], path: &str) -> Result<NodeIndex, ScopeError> {
        for node in nodes {
            self.depends(*node)?;
        }
        let not_taken = |node: NodeIndex| self.shared.flags.has(node, NOT_TAKEN);
        if let Some(node) = nodes.iter().copied().find(|node| !not_taken(*node)) {
            return Ok(node);
        }
        let gates = || nodes.iter().filter_map(|node| self.shared.graph.gate(*node));
        // A taken case may contain a resource whose own `when` is false.
        let open =
            nodes.iter().find(|node| self.shared.graph.gate(**node).is_some_and(|gate| !not_taken(gate)));
        let branch = match (open, nodes) {
            (Some(node), _) | (None, [node]) => self.branch(*node),
            (None, _) => {
                let cases: Vec<String> = gates().map(|gate| self.shared.graph.called(gate)).collect();
                format!("none of {} was taken", cases.join(", "))
            }
        };
        Err(ScopeError::NotTaken { path: path.to_owned(), branch })
    }

    /// Returns the value at `field` of a dependency.
    pub(super) fn export(
        &self,
        target: NodeIndex,
        path: &str,
        field: &[&str],
        whole: Whole,
    ) -> Result<Cow<'a, Value>, ScopeError> {
        self.depends(target)?;
        self.value(target, path, field, whole)
    }

    /// Returns the value of a part of a dependency, which has ended before the dependency itself.
    fn value(
        &self,
        target: NodeIndex,
        path: &str,
        field: &[&str],
        whole: Whole,
    ) -> Result<Cow<'a, Value>, ScopeError> {
        if self.shared.flags.has(target, NOT_TAKEN) {
            return Err(ScopeError::NotTaken { path: path.to_owned(), branch: self.branch(target) });
        }
        let graph = &self.shared.graph;
        let node = graph.node(target);
        let varies = node.role == Role::Resource || node.deferred().is_some();
        if varies || self.shared.flags.has(target, VARIES) {
            self.shared.flags.add(self.index, VARIES);
        }
        // Only messages need the name.
        let name = || node.id.name();
        match node.role {
            Role::Resource | Role::Param => self.resource(target, field, whole),
            // An output has the same name as its value.
            Role::Output => {
                let field: Vec<&str> = std::iter::once(VALUE).chain(field.iter().copied()).collect();
                self.resource(target, &field, Whole::Refused)
            }
            Role::Module => match field.split_first() {
                None if whole == Whole::Allowed => self.module(target).map(Cow::Owned),
                Some((first, rest)) if first.eq_ignore_ascii_case(PARAMS) => {
                    self.values(target, (path, "param"), rest)
                }
                Some((first, rest)) if *first == OUTPUT => self.values(target, (path, OUTPUT), rest),
                None => Err(ScopeError::Message(format!(
                    "`{0}` is a module: name one of its outputs or parameters, as in `{0}.{OUTPUT}.NAME` or `{0}.{PARAMS}.NAME`",
                    name()
                ))),
                Some(_) => Err(ScopeError::Message(format!(
                    "`{}` exports no `{}`, only `{PARAMS}` and `{OUTPUT}`",
                    name(),
                    field.join(".")
                ))),
            },
            Role::ForEach if node.deferred().is_some() && !graph.is_expanded(target) => {
                Ok(Cow::Owned(Value::unknown(path)))
            }
            Role::ForEach => match field.split_first() {
                None if whole == Whole::Allowed => self.instances(target, path).map(Cow::Owned),
                None => Err(ScopeError::Message(format!(
                    "`{0}` has `for_each`: name an instance, as in `{0}[\"KEY\"].FIELD`",
                    name()
                ))),
                Some((key, rest)) => match self.instance(target, key) {
                    Some(instance) => self.value(instance, path, rest, whole),
                    None => Err(self.no_instance(target, key)),
                },
            },
            Role::Switch | Role::Case | Role::Begin => {
                Err(ScopeError::Message(format!("`{}` exports nothing: name a resource in it", name())))
            }
        }
    }

    /// Checks that a node is a dependency, because any other may not have been handled yet.
    fn depends(&self, target: NodeIndex) -> Result<(), ScopeError> {
        let (depends, steps) = self.shared.graph.depends_on(self.index, target);
        self.shared.setup.budget.spend(steps as u64);
        // Exports of a node that is a dependency only because of a thing are not kept, as no name leads
        // there.
        if depends && self.shared.is_read(target) {
            return Ok(());
        }
        let id = &self.shared.graph.node(target).id;
        let is_near = id.parent().as_ref() == Some(&self.node.scope.container);
        Err(ScopeError::NotADependency { name: if is_near { id.name() } else { id.short() }.to_owned() })
    }

    fn resource(
        &self,
        target: NodeIndex,
        field: &[&str],
        whole: Whole,
    ) -> Result<Cow<'a, Value>, ScopeError> {
        let name = self.shared.graph.node(target).id.name();
        let exports = self.shared.exports(target);
        if field.is_empty() && whole == Whole::Allowed {
            return Ok(Cow::Owned(exports.cloned().unwrap_or_default().into_value()));
        }
        match exports.and_then(|exports| find(exports, field)) {
            Some(value) => Ok(Cow::Borrowed(value)),
            None if field.is_empty() => Err(ScopeError::Message(format!(
                "`{name}` is a resource: name one of its exports, as in `{name}.FIELD`"
            ))),
            None => Err(ScopeError::Message(format!("`{name}` exports no `{}`", field.join(".")))),
        }
    }

    /// Returns a whole module: `{ params = { .. }, output = { .. } }`.
    ///
    /// Without outputs there are only parameters.
    fn module(&self, target: NodeIndex) -> Result<Value, ScopeError> {
        let params = self.values(target, (PARAMS, "param"), &[])?.into_owned();
        let outputs = self.values(target, (OUTPUT, OUTPUT), &[])?.into_owned();
        let outputs = (!outputs.is_zero()).then(|| (OUTPUT.to_owned(), outputs));
        Ok(Value::Map([(PARAMS.to_owned(), params)].into_iter().chain(outputs).collect()))
    }

    /// Returns the parameters or the outputs of a module, or a value in one of them.
    ///
    /// They are read from their own nodes, so that nothing is kept twice.
    fn values(
        &self,
        module: NodeIndex,
        (path, kind): (&str, &str),
        field: &[&str],
    ) -> Result<Cow<'a, Value>, ScopeError> {
        let graph = &self.shared.graph;
        let prefix = format!("{}/{kind}.", graph.node(module).id);
        let Some((name, rest)) = field.split_first() else {
            let mut values = IndexMap::new();
            for (index, node) in graph.with_prefix(&prefix) {
                let Some(name) = node.id.as_str().strip_prefix(&prefix).filter(|name| !name.contains('/'))
                else {
                    continue;
                };
                let field: &[&str] = if node.role == Role::Output { &[] } else { &[VALUE] };
                let value = self.value(index, path, field, Whole::Refused)?.into_owned();
                values.insert(name.to_owned(), value);
            }
            return Ok(Cow::Owned(Value::Map(values.into())));
        };
        let Some(index) = graph.find(&format!("{prefix}{name}")) else {
            return Err(super::suggestions::no_value(graph, &graph.node(module).id, kind, name));
        };
        if kind == OUTPUT {
            return self.value(index, path, rest, Whole::Refused);
        }
        let field: Vec<&str> = std::iter::once(VALUE).chain(rest.iter().copied()).collect();
        self.value(index, path, &field, Whole::Refused)
    }

    /// Returns all instances of a `for_each` that were handled, by key.
    fn instances(&self, target: NodeIndex, path: &str) -> Result<Value, ScopeError> {
        let graph = &self.shared.graph;
        let mut values = IndexMap::new();
        let edges = graph.dependencies(target).iter().filter(|edge| edge.reason == EdgeReason::ForEach);
        for edge in edges {
            let Some(item) = graph.node(edge.on).scope.each.known() else { continue };
            if !self.shared.flags.has(edge.on, NOT_TAKEN) {
                let value = self.value(edge.on, path, &[], Whole::Allowed)?.into_owned();
                values.insert(item.key.to_string(), value);
            }
        }
        Ok(Value::Map(values.into()))
    }

    fn instance(&self, target: NodeIndex, key: &str) -> Option<NodeIndex> {
        let graph = &self.shared.graph;
        let id = &graph.node(target).id;
        // A quoted key in a path is already escaped; a key after a dot is not.
        graph.find(&format!("{id}[\"{key}\"]")).or_else(|| graph.find(id.instance(key).as_str()))
    }

    fn no_instance(&self, target: NodeIndex, key: &str) -> ScopeError {
        let graph = &self.shared.graph;
        let keys = graph.dependencies(target).iter().filter(|edge| edge.reason == EdgeReason::ForEach);
        let keys = keys.filter_map(|edge| graph.node(edge.on).scope.each.known().map(|each| &*each.key));
        ScopeError::not_found("instance", key, keys)
    }

    /// Describes why a node is not handled.
    fn branch(&self, target: NodeIndex) -> String {
        let graph = &self.shared.graph;
        if self.shared.leaves_out(target) {
            return LEFT_OUT.to_owned();
        }
        let mut decided = None;
        let mut current = target;
        while let Some(gate) = graph.gate(current).filter(|gate| self.shared.flags.has(*gate, NOT_TAKEN)) {
            decided = Some(gate);
            current = gate;
        }
        match decided {
            Some(gate) => format!("{} was not taken", graph.called(gate)),
            None => "its `when` is false".to_owned(),
        }
    }
}

/// Returns the value at a path. Everything inside an unknown value is unknown.
fn find<'a>(exports: &'a Exports, path: &[&str]) -> Option<&'a Value> {
    let unknown = |value: &&Value| matches!(value, Value::Unknown(_));
    exports.get(path).or_else(|| (1..path.len()).find_map(|len| exports.get(&path[..len]).filter(unknown)))
}
