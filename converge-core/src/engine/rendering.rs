//! From what a module says about a node to the values of its fields.

use std::sync::Arc;

use super::blocking::aside;
use super::error::EngineError;
use super::run_tables::Shared;
use super::scope::{LARGE, NodeScope};
use crate::diagnostic::Diagnostic;
use crate::evaluate::Evaluator;
use crate::evaluate::Provenance;
use crate::graph::{InputKind, NodeIndex, Role};
use crate::load::param;
use crate::types::budget::is_larger;
use crate::types::scope::Scope as _;
use crate::types::value::{Unknown, Value};

/// The rendered fields of a node.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Values by the index of their field.
    pub(super) values: Vec<Option<Value>>,
    /// Names of the fields that are not known yet, and what each waits for.
    pub(super) unknown: Vec<(&'static str, Unknown)>,
    /// Whether there is a value of which a copy takes a while.
    pub(super) is_large: bool,
}

/// So many steps are taken before others have their turn: less than a millisecond.
const STEPS: u64 = 1 << 13;

/// Evaluates something of a node: at once what takes little, and anew on a thread of the blocking pool what takes more.
///
/// # Errors
///
/// The runtime ends before it is done.
pub(super) async fn evaluate<T: Send + 'static>(
    shared: &Arc<Shared>,
    index: NodeIndex,
    evaluate: fn(&NodeScope<'_>) -> T,
) -> Result<T, EngineError> {
    let taste = shared.budget.taste(STEPS);
    let found = evaluate(&NodeScope::new(shared, index).tasting(&taste));
    if !taste.is_exhausted() {
        shared.budget.take_over(&taste);
        return Ok(found);
    }
    drop(found);
    let shared = Arc::clone(shared);
    aside(true, move || evaluate(&NodeScope::new(&shared, index))).await
}

/// Renders every field of a node.
///
/// # Errors
///
/// Everything that could not be rendered.
pub(super) fn render(scope: &NodeScope<'_>) -> Result<Rendered, Vec<Diagnostic>> {
    let graph = &scope.shared().graph;
    let node = graph.node(scope.index());
    let (fields, redactor) = (&node.resource.schema().fields, graph.sources().redactor());
    let mut rendered = Rendered { values: vec![None; fields.len()], unknown: Vec::new(), is_large: false };
    let provenance = Provenance::new(graph, node);
    let mut evaluator = Evaluator::new(scope, graph.sources(), node.span).with_provenance(provenance);
    for attribute in node.attributes.iter() {
        let (Some(field), Some(slot)) =
            (fields.get(attribute.field), rendered.values.get_mut(attribute.field))
        else {
            continue;
        };
        let Some(value) = evaluator.input(&attribute.input, &field.kind) else { continue };
        let value = if matches!(node.role, Role::Param | Role::Output) {
            if node.is_sensitive() {
                scope.hide(&value);
            }
            let value = param::validate(node, value, scope, graph.sources(), provenance)?;
            param::keep(value, scope, attribute.input.span.or(node.span))?
        } else {
            value
        };
        // What is known at load was looked through then.
        if !matches!(attribute.input.kind, InputKind::Value(_))
            && let Some(unknown) = value.find_unknown()
        {
            rendered.unknown.push((field.name, unknown.clone()));
        }
        rendered.is_large |= is_larger(&value, LARGE);
        if !scope.defers(&value) {
            field.hide(&value, redactor);
        }
        *slot = Some(if field.sensitive { value.into_secret() } else { value });
    }
    let diagnostics = evaluator.into_diagnostics();
    if diagnostics.is_empty() { Ok(rendered) } else { Err(diagnostics) }
}
