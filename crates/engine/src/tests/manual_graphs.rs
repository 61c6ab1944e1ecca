//! Graphs with structure, built by hand: nodes by path, with the same edges as the loader creates.

use crate::graph::{Attribute, EachIs, Input, InputKind, Meta, Module};
use crate::language::template::{Predicate, Template};
use crate::types::scope::Each;
use converge_load::TypeTable;

use super::*;

/// Nodes in the order of declaration.
pub(super) struct ManualGraph {
    registry: Registry,
    nodes: Vec<Node>,
    edges: Vec<(String, String, EdgeReason)>,
}

pub(super) fn template(text: &str) -> InputKind {
    InputKind::Template(Box::new(Template::parse(text).unwrap()))
}

pub(super) fn predicate(text: &str) -> InputKind {
    InputKind::Predicate(Box::new(Predicate::parse(text).unwrap()))
}

pub(super) fn value(value: impl Into<crate::types::value::Value>) -> InputKind {
    InputKind::Value(value.into())
}

impl ManualGraph {
    pub(super) fn new() -> Self {
        Self { registry: registry(), nodes: Vec::new(), edges: Vec::new() }
    }

    fn scope(id: &NodeId, instance: Option<Each>) -> Arc<LexicalScope> {
        let container = id.parent().unwrap_or_else(NodeId::root);
        let mut module = container.clone();
        while !module.name().starts_with("module.") && module != NodeId::root() {
            module = module.parent().unwrap();
        }
        let module = Module {
            id: module,
            source: "hand.hcl".into(),
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
        let instance = instance.map_or(EachIs::Nothing, EachIs::Known);
        Arc::new(LexicalScope { container, module: Arc::new(module), each: instance })
    }

    /// Adds a node of any kind; `path` is without the root.
    pub(super) fn node(mut self, path: &str, role: Role, fill: impl FnOnce(&mut Node)) -> Self {
        let id = path.split('/').fold(NodeId::root(), |id, part| id.child(part));
        let (kind, _) = path.rsplit('/').next().and_then(|name| name.split_once('.')).unwrap_or_default();
        let kind = if matches!(kind, "param" | "card") { kind } else { "toy" };
        let mut node = Node {
            scope: Self::scope(&id, None),
            id,
            resource: Arc::clone(TypeTable::new(&self.registry).get(kind).unwrap()),
            role,
            attributes: Arc::default(),
            group: None,
            meta: None,
            span: None,
            declared: 0,
        };
        fill(&mut node);
        self.nodes.push(node);
        self
    }

    /// Adds a toy with these fields.
    pub(super) fn toy(self, path: &str, fields: Vec<(&str, InputKind)>) -> Self {
        self.filled(path, fields, None)
    }

    /// Adds a toy that is handled only if `when` is true.
    pub(super) fn toy_when(self, path: &str, condition: InputKind, fields: Vec<(&str, InputKind)>) -> Self {
        self.filled(path, fields, Some(condition))
    }

    /// Adds an instance of a `for_each`.
    pub(super) fn instance(self, path: &str, key: &str, fields: Vec<(&str, InputKind)>) -> Self {
        let mut hand = self.filled(path, fields, None);
        let node = hand.nodes.last_mut().unwrap();
        node.id = node.id.instance(key);
        let each_value = Each { key: key.into(), value: format!("value of {key}").into() };
        node.scope = Self::scope(&node.id, Some(each_value));
        hand
    }

    fn filled(self, path: &str, fields: Vec<(&str, InputKind)>, condition: Option<InputKind>) -> Self {
        self.node(path, Role::Resource, |node| {
            let attribute = |(name, kind): (&str, InputKind)| Attribute {
                field: node.resource.schema().field(name).unwrap().0,
                input: Input { kind, span: None },
                name_span: None,
            };
            node.attributes = Arc::new(fields.into_iter().map(attribute).collect());
            node.meta = condition.map(|condition| Box::new(meta(condition)));
        })
    }

    /// Adds a parameter with a value.
    pub(super) fn param(self, path: &str, kind: InputKind) -> Self {
        let mut hand = self.toy(path, vec![("default", kind)]);
        hand.nodes.last_mut().unwrap().role = Role::Param;
        hand
    }

    pub(super) fn end(self, path: &str, role: Role) -> Self {
        self.node(path, role, |_| {})
    }

    /// Adds a gate: a case, or the beginning of a module.
    pub(super) fn gate(self, path: &str, condition: Option<InputKind>) -> Self {
        let role = if path.ends_with("/begin") { Role::Begin } else { Role::Case };
        self.node(path, role, |node| node.meta = condition.map(|when| Box::new(meta(when))))
    }

    /// Adds edges from the first node to the others; paths are without the root.
    pub(super) fn waits(mut self, path: &str, reason: EdgeReason, dependencies: &[&str]) -> Self {
        let edges = dependencies
            .iter()
            .map(|dependency| (format!("root/{path}"), format!("root/{dependency}"), reason));
        self.edges.extend(edges);
        self
    }

    pub(super) fn build(mut self) -> Arc<Graph> {
        let structure = self.structure();
        self.edges.extend(structure);
        self.nodes.sort_by(|a, b| a.id.cmp(&b.id));
        let find = |id: &str| {
            let position = self.nodes.iter().position(|node| node.id.as_str() == id);
            position.unwrap_or_else(|| panic!("no node {id}"))
        };
        let mut dependencies = vec![Vec::new(); self.nodes.len()];
        for (from, dependency, reason) in &self.edges {
            let edge = Edge { on: NodeIndex::new(find(dependency)), reason: *reason, span: None };
            dependencies[find(from)].push(edge);
        }
        Arc::new(Graph::new(self.nodes, dependencies, Arc::default()))
    }

    /// Returns the edges that follow from the nesting of the nodes.
    fn structure(&self) -> Vec<(String, String, EdgeReason)> {
        let role = |id: &str| self.nodes.iter().find(|node| node.id.as_str() == id).map(|node| node.role);
        let mut edges = Vec::new();
        let mut edge = |from: &str, on: &str, reason| edges.push((from.to_owned(), on.to_owned(), reason));
        let mut last_case: Option<(String, String)> = None;
        for node in &self.nodes {
            let id = node.id.as_str();
            let parent = node.id.parent().unwrap();
            if let Some((of, _)) = id.rsplit_once("[\"")
                && role(of) == Some(Role::ForEach)
            {
                edge(of, id, EdgeReason::ForEach);
            }
            match role(parent.as_str()) {
                Some(Role::Module) => edge(parent.as_str(), id, EdgeReason::Module),
                Some(Role::Switch) => edge(parent.as_str(), id, EdgeReason::Switch),
                Some(Role::Case) => edge(parent.parent().unwrap().as_str(), id, EdgeReason::Switch),
                _ => {}
            }
            if node.role == Role::Case {
                let switch = parent.to_string();
                if let Some((_, before)) = last_case.take().filter(|(of, _)| *of == switch) {
                    edge(id, &before, EdgeReason::Switch);
                }
                last_case = Some((switch, id.to_owned()));
            }
            // The closest gate around the node. The beginning of a module is also a gate of its end node.
            let mut ancestor = match node.role {
                Role::Begin => parent.parent(),
                Role::Module => Some(node.id.clone()),
                _ => Some(parent),
            };
            while let Some(container) = ancestor {
                let begin = format!("{container}/begin");
                let gate = match role(container.as_str()) {
                    Some(Role::Case) => Some(container.to_string()),
                    _ => role(&begin).map(|_| begin),
                };
                if let Some(gate) = gate {
                    edge(id, &gate, EdgeReason::Gate);
                    break;
                }
                ancestor = container.parent();
            }
        }
        edges
    }
}

fn meta(condition: InputKind) -> Meta {
    Meta { when: Some(Input { kind: condition, span: None }), ..Meta::default() }
}
