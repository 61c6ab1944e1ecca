//! From what a module says about a node to the values of its fields.

use super::scope::NodeScope;
use crate::diagnostic::Diagnostic;
use crate::evaluate::Evaluator;
use crate::evaluate::Provenance;
use crate::graph::{Graph, InputKind, Node, Role};
use crate::load::param;
use crate::types::value::{Unknown, Value};

/// The rendered fields of a node.
#[derive(Debug, Default)]
pub(super) struct Rendered {
    /// Values by the index of their field.
    pub(super) values: Vec<Option<Value>>,
    /// Names of the fields that are not known yet, and what each waits for.
    pub(super) unknown: Vec<(&'static str, Unknown)>,
}

/// Renders every field of a node.
///
/// # Errors
///
/// Everything that could not be rendered.
pub(super) fn render(graph: &Graph, node: &Node, scope: &NodeScope<'_>) -> Result<Rendered, Vec<Diagnostic>> {
    let (fields, redactor) = (&node.resource.schema().fields, graph.sources().redactor());
    let mut rendered = Rendered { values: vec![None; fields.len()], unknown: Vec::new() };
    let provenance = Provenance::new(graph, node);
    let mut evaluator = Evaluator::new(scope, graph.sources(), node.span).with_provenance(provenance);
    for attribute in node.attributes.iter() {
        let (Some(field), Some(slot)) =
            (fields.get(attribute.field), rendered.values.get_mut(attribute.field))
        else {
            continue;
        };
        let Some(value) = evaluator.input(&attribute.input, &field.kind) else { continue };
        let value = if node.role == Role::Param {
            if node.is_sensitive() {
                redactor.hide_value(&value);
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
        field.hide(&value, redactor);
        *slot = Some(if field.sensitive { value.into_secret() } else { value });
    }
    let diagnostics = evaluator.into_diagnostics();
    if diagnostics.is_empty() { Ok(rendered) } else { Err(diagnostics) }
}
