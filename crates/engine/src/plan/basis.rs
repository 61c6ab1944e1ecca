//! The basis of a plan: everything that must be unchanged when the plan is applied.

use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use crate::Engine;
use crate::graph::{Graph, Input, InputKind, Node, NodeId, PatternDependency, Role};
use crate::state::Owner;
use crate::types::id::PATTERN_KEY;
use crate::types::value::Value;
use crate::{Digest, Key, Selection, Shown};
use converge_graph::schema_json;

const CONVERGE: &str = env!("CARGO_PKG_VERSION");

/// The basis and the shown differences of a plan, as digests with a key of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Basis {
    pub(super) key: Key,
    converge: String,
    /// The owner that the plan was made for, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) owner: Option<Owner>,
    sources: Vec<Named>,
    params: Vec<GivenValue>,
    types: Vec<Named>,
    graph: Digest,
    /// The targets of the plan, if it was restricted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    targets: Vec<Digest>,
    /// The skipped resources of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<Digest>,
    /// The selected instances of a `for_each` that only a run knows, which are not in the loaded graph.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    instances: Vec<NodeId>,
    pub(super) shown: Vec<Shown>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Named {
    name: String,
    digest: Digest,
}

/// A value given to a parameter from outside; a sensitive or secret value is stored only as a digest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct GivenValue {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    digest: Digest,
}

/// A difference between the basis of a plan and the present state.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// The plan was made by another version of converge.
    Converge {
        /// The version that made the plan.
        planned: String,
    },
    /// The plan was made for another [owner](Engine::with_owner), with other locks and pending refreshes.
    Owner {
        /// The owner that the plan was made for.
        planned: Option<Owner>,
        /// The owner that the plan was to be applied for.
        now: Option<Owner>,
    },
    /// The text of a module has changed, or the set of used modules has.
    Source {
        /// The name of the module.
        name: String,
    },
    /// A parameter has another value, or is given in only one of the two cases.
    Param {
        /// The name of the parameter.
        name: String,
    },
    /// A resource type has changed, or the set of used types has.
    Type {
        /// The name of the type.
        name: String,
    },
    /// Resources or their dependencies have changed.
    Graph,
    /// The plan selects an instance whose name contains a secret, which a plan does not store.
    Part,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converge { planned } => {
                write!(f, "it was made by converge {planned}, and this is {CONVERGE}")
            }
            Self::Owner { planned, now } => {
                let for_whom = |owner: &Option<Owner>| match owner {
                    Some(owner) => format!("for the owner `{owner}`"),
                    None => "without an owner".to_owned(),
                };
                write!(f, "it was made {}, and this is a run {}", for_whom(planned), for_whom(now))
            }
            Self::Source { name } => write!(f, "the module {name} has changed"),
            Self::Param { name } => write!(f, "the parameter `{name}` has another value"),
            Self::Type { name } => write!(f, "the type `{name}` has changed"),
            Self::Part => f.write_str("it targets an instance whose name is secret and is not stored"),
            Self::Graph => f.write_str("the resources or their dependencies have changed"),
        }
    }
}

impl Basis {
    /// Creates the basis of a plan of this graph, with digests made with `key`.
    pub(super) fn new(graph: &Graph, owner: Option<Owner>, key: Key) -> Self {
        let redactor = graph.sources().redactor();
        let sources = graph.sources().files().map(|file| Named {
            name: redactor.redact(file.name()).into_owned(),
            digest: key.digest(["source", file.text()]),
        });
        let sources = sources.collect();
        let param_nodes = graph
            .nodes()
            .map(|(_, node)| node)
            .filter(|node| node.role == Role::Param && node.given().is_some());
        let params = param_nodes.map(|node| GivenValue::new(graph, &key, node)).collect();
        let used: BTreeMap<&str, _> =
            graph.declared().map(|node| (node.resource.name(), &node.resource)).collect();
        let types = used.into_iter().map(|(name, resource)| Named {
            name: name.to_owned(),
            digest: key.digest(["type", &schema_json::schema(resource.schema()).to_string()]),
        });
        let types = types.collect();
        let graph = key.digest(["graph", &structure(graph)]);
        Self {
            key,
            converge: CONVERGE.to_owned(),
            owner,
            sources,
            params,
            types,
            graph,
            targets: Vec::new(),
            left_out: Vec::new(),
            instances: Vec::new(),
            shown: Vec::new(),
        }
    }

    /// Stores the selection of the plan.
    ///
    /// An ID may contain a secret, so it is stored as a digest. An instance that is not in the graph is also
    /// stored as text, unless it contains a secret.
    pub(super) fn keep_selection(&mut self, graph: &Graph, selection: &Selection) {
        let digests = |ids: &[NodeId]| ids.iter().map(|id| self.key.node(id)).collect();
        let is_kept = |id: &&NodeId| {
            graph.find(id.as_str()).is_none()
                && !id.as_str().contains(PATTERN_KEY)
                && !graph.sources().redactor().is_in(id.as_str())
        };
        let ids = selection.targets.iter().chain(&selection.skips);
        (self.targets, self.left_out) = (digests(&selection.targets), digests(&selection.skips));
        self.instances = ids.filter(is_kept).cloned().collect();
    }

    /// Restores the selection of the plan for an equal graph.
    ///
    /// # Errors
    ///
    /// Fails if the selection contains an instance whose key is a secret.
    pub(super) fn selection(&self, graph: &Graph) -> Result<Selection, Mismatch> {
        if self.targets.is_empty() && self.left_out.is_empty() {
            // Computing the digests of all IDs takes time in proportion to their number.
            return Ok(Selection::default());
        }
        let (targets, skips): (HashSet<&Digest>, HashSet<&Digest>) =
            (self.targets.iter().collect(), self.left_out.iter().collect());
        let (mut selection, mut digests) = (Selection::default(), HashSet::new());
        for id in graph.declared().map(|node| &node.id).chain(&self.instances) {
            let digest = self.key.node(id);
            if targets.contains(&digest) {
                selection.targets.push(id.clone());
            }
            if skips.contains(&digest) {
                selection.skips.push(id.clone());
            }
            digests.insert(digest);
        }
        let is_whole = targets.union(&skips).all(|digest| digests.contains(*digest));
        if is_whole { Ok(selection) } else { Err(Mismatch::Part) }
    }

    /// Returns the differences between the basis and the present state.
    pub(super) fn mismatches(&self, graph: &Graph, owner: Option<Owner>) -> Vec<Mismatch> {
        let current = Self::new(graph, owner, self.key.clone());
        let mut mismatches = Vec::new();
        if self.converge != current.converge {
            mismatches.push(Mismatch::Converge { planned: self.converge.clone() });
        }
        if self.owner != current.owner {
            mismatches.push(Mismatch::Owner { planned: self.owner.clone(), now: current.owner.clone() });
        }
        // Only texts are compared: a module that is used twice has one text, and paths may be written
        // differently now.
        let lists = [(&self.sources, &current.sources), (&current.sources, &self.sources)];
        for (sources, other_sources) in lists {
            let is_new = |source: &&Named| {
                other_sources.iter().all(|other_source| other_source.digest != source.digest)
            };
            let names = sources.iter().filter(is_new).map(|source| source.name.clone());
            mismatches.extend(names.map(|name| Mismatch::Source { name }));
        }
        let params = |basis: &Self| -> BTreeMap<String, Digest> {
            basis.params.iter().map(|param| (param.name.clone(), param.digest)).collect()
        };
        mismatches.extend(differing(&params(self), &params(&current)).map(|name| Mismatch::Param { name }));
        let types = |basis: &Self| -> BTreeMap<String, Digest> {
            basis.types.iter().map(|type_digest| (type_digest.name.clone(), type_digest.digest)).collect()
        };
        mismatches.extend(differing(&types(self), &types(&current)).map(|name| Mismatch::Type { name }));
        if mismatches.is_empty() && self.graph != current.graph {
            mismatches.push(Mismatch::Graph);
        }
        let mut visited = std::collections::BTreeSet::new();
        mismatches.retain(|mismatch| visited.insert(mismatch.to_string()));
        mismatches
    }

    /// Returns the given parameters, with their values where these are stored.
    pub(super) fn params(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.params.iter().map(|param| (param.name.as_str(), param.value.as_ref()))
    }
}

impl GivenValue {
    fn new(graph: &Graph, key: &Key, node: &Node) -> Self {
        let name = node.id.name();
        let name = name.strip_prefix("param.").unwrap_or(name).to_owned();
        let mut text = String::new();
        node.param_value().into_iter().for_each(|input| write_input(&mut text, input));
        let digest = key.digest(["param", &name, &text]);
        let value = node.param_value().and_then(Input::known_value);
        let is_shown = |value: &Value| {
            !node.is_sensitive() && !value.contains_secret() && !graph.sources().redactor().is_in(&text)
        };
        Self { name, value: value.filter(is_shown), digest }
    }
}

/// Returns the names whose values differ, or that only one of the two maps has.
fn differing<'a>(
    planned: &'a BTreeMap<String, Digest>,
    now: &'a BTreeMap<String, Digest>,
) -> impl Iterator<Item = String> + 'a {
    let names = planned.keys().chain(now.keys().filter(|name| !planned.contains_key(*name)));
    names.filter(|name| planned.get(*name) != now.get(*name)).cloned()
}

/// Serializes everything that a run reads from a graph, except the content of its sources.
fn structure(graph: &Graph) -> String {
    let mut text = String::new();
    for (index, node) in graph.nodes() {
        write_node(&mut text, node);
        for edge in graph.dependencies(index) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\0{}:{}", edge.on.number(), edge.reason);
        }
    }
    text
}

fn write_node(text: &mut String, node: &Node) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\0{}\0{}\0{:?}\0{:?}", node.id, node.resource.name(), node.role, node.group);
    if let Some(meta) = &node.meta {
        let _ = write!(text, "\0{:?}\0{:?}", meta.timeout, meta.retry);
        meta.when.iter().for_each(|condition| write_input(text, condition));
    }
    for attribute in node.attributes.iter() {
        let _ = write!(text, "\0{}=", attribute.field);
        write_input(text, &attribute.input);
    }
    let Some(deferred) = node.deferred() else { return };
    write_input(text, &deferred.items);
    for (place, node) in deferred.pattern.nodes().iter().enumerate() {
        write_node(text, node);
        for edge in deferred.pattern.waits(place) {
            let _ = match &edge.on {
                PatternDependency::Within(place) => write!(text, "\0{place}:{}", edge.reason),
                PatternDependency::Around(id) => write!(text, "\0{id}:{}", edge.reason),
            };
        }
    }
}

/// Writes the input of a field; inputs from a source are covered by the source's digest.
fn write_input(text: &mut String, input: &Input) {
    // Writing to a string cannot fail.
    let _ = match &input.kind {
        InputKind::Value(value) => {
            write_value(text, value);
            Ok(())
        }
        InputKind::List(items) => {
            for item in items.iter() {
                write_input(text, item);
            }
            write!(text, "\0[{}]", items.len())
        }
        InputKind::Map(items) => {
            for (name, item) in items.iter() {
                write_input(text, name);
                write_input(text, item);
            }
            write!(text, "\0{{{}}}", items.len())
        }
        InputKind::Lookup(path) => write!(text, "\0lookup {path}"),
        kind if input.span.is_none() => write!(text, "\0{kind:?}"),
        _ => Ok(()),
    };
}

/// Writes a value including its secrets, because the text is only used in a digest.
fn write_value(text: &mut String, value: &Value) {
    // Writing to a string cannot fail.
    let _ = match value {
        Value::Secret(secret) => {
            write_value(text, secret.expose());
            Ok(())
        }
        Value::List(items) => {
            for item in items {
                write_value(text, item);
            }
            write!(text, "\0[{}]", items.len())
        }
        Value::Map(items) => {
            for (name, item) in items {
                let _ = write!(text, "\0{name:?}=");
                write_value(text, item);
            }
            write!(text, "\0{{{}}}", items.len())
        }
        plain => write!(text, "\0{plain}"),
    };
}
