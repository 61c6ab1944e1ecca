//! Expansion of a `for_each` that waited for lookups: instances are created from its known items.
//!
//! Each instance is a copy of the pattern that the load created. Instances are created where that does not
//! stall other tasks. Only the coordinator, which owns the run, adds them to the graph.

mod footprints;
mod instance_scope;

use std::sync::Arc;

use self::footprints::{FootprintEntry, Footprints};
use crate::diagnostic::{Diagnostic, Limit, Span};
use crate::evaluate::{Evaluator, Provenance};
use crate::events::difference::Difference;
use crate::events::error::EngineError;
use crate::events::report::{Failure, Stage};
use crate::graph::{Deferred, EdgeReason, Node, NodeIndex, PatternDependency, PatternEdge, Rebase};
use crate::inputs::node_identity::identity;
use crate::inputs::rendering::evaluate;
use crate::inputs::scope::NodeScope;
use crate::sdk::context::RunMode;
use crate::sdk::status::DiffValue;
use crate::tables::instance_selection::{InstanceSelection, Selected};
use crate::tables::run_tables::Shared;
use crate::types::footprint::Footprint;
use crate::types::schema::Kind;
use crate::types::scope::Each;
use crate::types::value::{Unknown, Value};
use converge_graph::for_each::items_of;

/// The result of the work on the end node of a `for_each`.
pub(super) enum Expanded {
    Instances(Expansion),
    /// Plan: the instances are known only after an apply.
    KnownLater(Difference),
    /// All instances have ended.
    Settled,
}

/// The instances to be added to the graph.
#[derive(Debug)]
pub(crate) struct Expansion {
    /// The number of nodes per instance.
    pub(crate) len: usize,
    /// The nodes of all instances, sorted by id.
    pub(crate) nodes: Vec<NewNode>,
    /// The entry of the `for_each` that each instance is created from.
    pub(crate) entries: Vec<u32>,
}

/// An entry of the `for_each`, from which an instance is created.
struct Entry {
    rebase: Rebase,
    each: Each,
    /// The position of the entry.
    number: u32,
}

/// A node to be added to the graph.
#[derive(Debug)]
pub(crate) struct NewNode {
    pub(crate) node: Node,
    /// The dependencies of the node.
    pub(crate) waits: Vec<NewEdge>,
    /// The footprint as far as it is known, if it could make the node wait.
    pub(crate) footprint: Option<Footprint>,
    /// The footprint with assumed exports, for nodes that take turns.
    pub(crate) assumed: Option<Footprint>,
    /// A hash shared by all copies of the node with the same values.
    pub(crate) copy: Option<u64>,
    /// Whether the run works on it.
    pub(crate) selected: Selected,
}

/// A dependency of a node to be added.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewEdge {
    pub(crate) on: NewDependency,
    pub(crate) reason: EdgeReason,
    pub(crate) span: Option<Span>,
}

/// The target of a dependency of a node to be added.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NewDependency {
    /// An existing node.
    Before(NodeIndex),
    /// A node that is added as well, by its position.
    New(usize),
}

/// Works on the end node of a `for_each` whose items were not known at load.
///
/// # Errors
///
/// The expression for the items is wrong, or there are too many.
pub(super) async fn expand(shared: &Arc<Shared>, index: NodeIndex) -> Result<Expanded, Failure> {
    if shared.graph.is_expanded(index) {
        let Some(refreshes) = &shared.refreshes else { return Ok(Expanded::Settled) };
        let settled = refreshes.refreshed(index, &|index| identity(shared, index)).await;
        return match settled {
            Ok(()) => Ok(Expanded::Settled),
            Err(error) => Err(Failure::new(Stage::Refresh, error.to_string())),
        };
    }
    let failed = |error: EngineError| Err(Failure::new(Stage::Render, error.to_string()));
    evaluate(shared, index, expand_in_scope).await.unwrap_or_else(failed)
}

/// Returns the failure for too many resources.
pub(crate) fn too_many(shared: &Shared, node: &Node) -> Failure {
    let limit = shared.setup.budget.reached(Limit::Resources);
    let message = format!("more than {} resources, with the instances of this `for_each`", limit.most);
    let place = node.deferred().and_then(|deferred| deferred.items.span).or(node.span);
    let diagnostic =
        Diagnostic::error("too-many-resources", message).label(place, "the limit is reached here");
    Failure::of_diagnostics(Stage::Render, vec![diagnostic.reached(limit)])
}

/// Whether adding `more` nodes exceeds the limit.
pub(crate) fn is_too_many(shared: &Shared, additional: usize) -> bool {
    shared.graph.len().saturating_add(additional) > shared.setup.budget.limits().resources
}

fn expand_in_scope(scope: &NodeScope<'_>) -> Result<Expanded, Failure> {
    let (shared, index) = (scope.shared(), scope.index());
    let graph = &shared.graph;
    let node = graph.node(index);
    let Some(deferred) = node.deferred() else { return Ok(Expanded::Settled) };
    let items = match items(scope, node, deferred)? {
        Ok(items) => items,
        Err(_) if shared.mode() == RunMode::Plan => {
            let after = DiffValue::Unknown;
            return Ok(Expanded::KnownLater(Difference {
                changes: true,
                ..Difference::new("for_each", "", after)
            }));
        }
        Err(unknown) => {
            let message = format!("`for_each` is not known: it waits for {}", unknown.waits_for);
            let place = deferred.items.span.or(node.span);
            let diagnostic = Diagnostic::error("not-known", message).label(place, "");
            return Err(Failure::of_diagnostics(Stage::Render, vec![diagnostic]));
        }
    };
    if is_too_many(shared, items.len().saturating_mul(deferred.pattern.len())) {
        return Err(too_many(shared, node));
    }
    let chosen = shared.setup.needed.chosen(graph, index);
    let entry = |(each, number): (Each, u32)| Entry {
        rebase: deferred.pattern.rebase(&node.id.instance(&each.key)),
        each,
        number,
    };
    let mut instances: Vec<Entry> = items.into_iter().zip(0..).map(entry).collect();
    instances.sort_unstable_by(|a, b| a.rebase.instance().cmp(b.rebase.instance()));
    if let Some(missing) =
        chosen.missing(&instances.iter().map(|entry| entry.rebase.instance()).collect::<Vec<_>>())
    {
        let message = format!("the run targets `{}`, but `for_each` has no such entry", missing.short());
        return Err(Failure::new(Stage::Render, message));
    }
    Ok(Expanded::Instances(expansion(scope, deferred, &chosen, &instances)))
}

fn expansion(
    scope: &NodeScope<'_>,
    deferred: &Deferred,
    chosen: &InstanceSelection,
    instances: &[Entry],
) -> Expansion {
    let (shared, pattern) = (scope.shared(), &deferred.pattern);
    let mut nodes = Vec::with_capacity(instances.len() * pattern.len());
    for Entry { rebase, each, .. } in instances {
        let instance_nodes = pattern.instance(rebase, each);
        let mut footprints = Footprints::new(scope, pattern, &instance_nodes);
        let selected = chosen.select_nodes(pattern, rebase.instance());
        let first = nodes.len();
        let edges = (0..pattern.len()).map(|place| {
            let edge = |edge: &PatternEdge| {
                let dependency = match &edge.on {
                    PatternDependency::Within(place) => NewDependency::New(first + place),
                    PatternDependency::Around(id) => {
                        NewDependency::Before(shared.graph.find(rebase.id(id).as_str())?)
                    }
                };
                Some(NewEdge { on: dependency, reason: edge.reason, span: edge.span })
            };
            pattern.waits(place).iter().filter_map(edge).collect()
        });
        let edges: Vec<Vec<NewEdge>> = edges.collect();
        let rest = edges.into_iter().zip(selected).zip(footprints.take());
        for (node, ((waits, selected), of_node)) in instance_nodes.into_iter().zip(rest) {
            let FootprintEntry { footprint, assumed, copy } = of_node;
            nodes.push(NewNode { node, waits, footprint, assumed, copy, selected });
        }
    }
    let entries = instances.iter().map(|entry| entry.number).collect();
    Expansion { len: pattern.len(), nodes, entries }
}

/// Returns the items, or the value that they wait for.
///
/// Unknown values are allowed if the keys are known.
fn items(
    scope: &NodeScope<'_>,
    node: &Node,
    deferred: &Deferred,
) -> Result<Result<Vec<Each>, Unknown>, Failure> {
    let graph = &scope.shared().graph;
    let provenance = Provenance::new(graph, node);
    let mut evaluator = Evaluator::new(scope, graph.sources(), node.span).with_provenance(provenance);
    let value = evaluator.input(&deferred.items, &Kind::Any);
    let diagnostics = evaluator.into_diagnostics();
    if !diagnostics.is_empty() {
        return Err(Failure::of_diagnostics(Stage::Render, diagnostics));
    }
    let value = value.unwrap_or_default();
    let has_keys = matches!(value, Value::Map(_));
    if let Some(unknown) = value.find_unknown().filter(|_| !has_keys) {
        return Ok(Err(unknown.clone()));
    }
    let (items, bad_items) = items_of(value);
    if bad_items.is_empty() {
        return Ok(Ok(items));
    }
    let diagnostics = bad_items.iter().map(|bad_item| bad_item.diagnostic(&deferred.items));
    Err(Failure::of_diagnostics(Stage::Render, diagnostics.collect()))
}
