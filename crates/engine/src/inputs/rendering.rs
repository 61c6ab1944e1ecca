//! Rendering of the inputs of a node to field values.

use std::sync::Arc;

use super::blocking::offload;
use super::scope::{LARGE, NodeScope};
use crate::diagnostic::Diagnostic;
use crate::evaluate::Evaluator;
use crate::evaluate::Provenance;
use crate::events::error::EngineError;
use crate::graph::{InputKind, NodeIndex, Role};
use crate::tables::run_tables::Shared;
use crate::types::budget::is_larger;
use crate::types::scope::Scope as _;
use crate::types::value::{Unknown, Value};
use converge_graph::param_value;

/// The rendered fields of a node.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    /// The values by the index of their field.
    pub(crate) values: Vec<Option<Value>>,
    /// The names of the fields that are not known yet, and the dependency of each.
    pub(crate) unknown: Vec<(&'static str, Unknown)>,
    /// Whether a value is so large that a copy takes a while.
    pub(crate) is_large: bool,
}

/// The number of evaluation steps run on an async worker, which take less than a millisecond.
const INLINE_STEPS: u64 = 1 << 13;

/// Evaluates a function in the scope of a node.
///
/// A cheap evaluation runs in place. A more expensive one is repeated on the blocking pool.
///
/// # Errors
///
/// The runtime is shut down before the evaluation has ended.
pub(crate) async fn evaluate<T: Send + 'static>(
    shared: &Arc<Shared>,
    index: NodeIndex,
    evaluate: fn(&NodeScope<'_>) -> T,
) -> Result<T, EngineError> {
    let taste = shared.setup.budget.taste(INLINE_STEPS);
    let result = evaluate(&NodeScope::new(shared, index).with_trial_budget(&taste));
    if !taste.is_exhausted() {
        shared.setup.budget.take_over(&taste);
        return Ok(result);
    }
    drop(result);
    let shared = Arc::clone(shared);
    offload(true, move || evaluate(&NodeScope::new(&shared, index))).await
}

/// Renders every field of a node.
///
/// # Errors
///
/// Returns a diagnostic for everything that could not be rendered.
pub(crate) fn render(scope: &NodeScope<'_>) -> Result<Rendered, Vec<Diagnostic>> {
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
            let value = param_value::validate(node, value, scope, graph.sources(), provenance)?;
            param_value::keep(value, scope, attribute.input.span.or(node.span))?
        } else {
            value
        };
        // Constant values were checked at load.
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
