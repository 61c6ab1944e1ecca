//! The work on the end of a `for_each` that waited for lookups: its items are known now, and instances are made of them.
//!
//! Instances are made where that keeps nobody waiting. The coordinator adds them to the graph, as it alone owns the run.

use std::sync::Arc;

use super::difference::Difference;
use super::error::EngineError;
use super::identify::identity;
use super::render::evaluate;
use super::report::{Failure, Stage};
use super::scope::NodeScope;
use super::shared::Shared;
use super::target::Selected;
use crate::diagnostic::{Diagnostic, Limit};
use crate::engine::footprint::{Values, footprint};
use crate::evaluate::{Evaluator, Provenance};
use crate::graph::{Deferred, LexicalScope, Node, NodeId, NodeIndex, Role};
use crate::load::items_of;
use crate::sdk::context::RunMode;
use crate::sdk::status::DiffValue;
use crate::types::footprint::Footprint;
use crate::types::schema::Kind;
use crate::types::scope::Each;
use crate::types::value::{Unknown, Value};

/// What came of the work on such an end.
pub(super) enum Expanded {
    /// The instances, sorted by id.
    Instances(Vec<Instance>),
    /// Plan: which there are is known only after an apply.
    KnownLater(Difference),
    /// All instances are done.
    Settled,
}

/// An instance that is to be added to the graph.
pub(super) struct Instance {
    pub(super) node: Node,
    /// What it has to do with, as far as that is known, where that could make it wait.
    pub(super) footprint: Option<Footprint>,
    /// Whether the run works on it.
    pub(super) selected: Selected,
}

/// Works on the end of a `for_each` that is not known at load.
///
/// # Errors
///
/// What gives the items is wrong, or there are too many.
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
    evaluate(shared, index, of_scope).await.unwrap_or_else(failed)
}

/// What more nodes than there may be are told.
pub(super) fn too_many(shared: &Shared, node: &Node) -> Failure {
    let limit = shared.budget.reached(Limit::Resources);
    let message = format!("more than {} resources, with the instances of this `for_each`", limit.most);
    let place = node.deferred().and_then(|deferred| deferred.items.span).or(node.span);
    let diagnostic =
        Diagnostic::error("too-many-resources", message).label(place, "the limit is reached here");
    Failure::of_diagnostics(Stage::Render, vec![diagnostic.reached(limit)])
}

/// Whether so many nodes more are too many.
pub(super) fn is_too_many(shared: &Shared, more: usize) -> bool {
    shared.graph.len().saturating_add(more) > shared.budget.limits().resources
}

fn of_scope(scope: &NodeScope<'_>) -> Result<Expanded, Failure> {
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
    if is_too_many(shared, items.len()) {
        return Err(too_many(shared, node));
    }
    let is_ordered = !graph.managed_in_run().uses.is_empty() && node.resource.has_footprint();
    let mut instances = Vec::with_capacity(items.len());
    for each in items {
        let node = instance(node, deferred, each);
        let footprint = is_ordered.then(|| footprint(&node, Some(&values(&scope.of_instance(&node), &node))));
        let selected = shared.needed.of_instance(index, &node.id);
        instances.push(Instance { node, footprint, selected });
    }
    instances.sort_unstable_by(|a, b| a.node.id.cmp(&b.node.id));
    let is_missing = |id: &&NodeId| instances.binary_search_by(|one| one.node.id.cmp(id)).is_err();
    match shared.needed.only(index).find(is_missing) {
        None => Ok(Expanded::Instances(instances)),
        Some(missing) => {
            let message =
                format!("the run is to work on `{}`, and `for_each` does not have it", missing.short());
            Err(Failure::new(Stage::Render, message))
        }
    }
}

/// The items, or what they wait for. Values that are not known yet are no reason to wait where the keys are.
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
    let (items, wrong) = items_of(value);
    if wrong.is_empty() {
        return Ok(Ok(items));
    }
    let diagnostics = wrong.iter().map(|wrong| wrong.diagnostic(&deferred.items));
    Err(Failure::of_diagnostics(Stage::Render, diagnostics.collect()))
}

fn instance(end: &Node, deferred: &Deferred, each: Each) -> Node {
    Node {
        id: end.id.instance(&each.key),
        resource: Arc::clone(&end.resource),
        role: Role::Resource,
        attributes: Arc::clone(&end.attributes),
        scope: Arc::new(LexicalScope { each: Some(each), ..LexicalScope::clone(&end.scope) }),
        group: deferred.group.clone(),
        meta: deferred.meta.clone(),
        span: end.span,
    }
}

/// The values of the fields of an instance, as far as they are known. What is wrong with them is told when it is worked on.
fn values(scope: &NodeScope<'_>, node: &Node) -> Values {
    let fields = &node.resource.schema().fields;
    let mut values: Values = vec![None; fields.len()];
    for attribute in node.attributes.iter() {
        let (Some(field), Some(slot)) = (fields.get(attribute.field), values.get_mut(attribute.field)) else {
            continue;
        };
        let mut evaluator = Evaluator::new(scope, scope.shared().graph.sources(), node.span);
        let value = evaluator.input(&attribute.input, &field.kind);
        let value = value.unwrap_or_else(|| Value::unknown("a value that is wrong"));
        *slot = Some(if field.sensitive { value.into_secret() } else { value });
    }
    values
}
