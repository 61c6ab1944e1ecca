//! Evaluation of `when` and of case predicates, which decide whether a node is handled.

use super::scope::NodeScope;
use crate::diagnostic::Diagnostic;
use crate::evaluate::Evaluator;
use crate::events::report::{Failure, Skipped, Stage};
use crate::graph::{Graph, Input, Node, NodeId, NodeIndex, Role};
use crate::sdk::context::RunMode;
use crate::types::convert::FromValue;
use crate::types::schema::Kind;
use crate::types::value::{Conversion, Unknown, Value};

/// The result of a `when`, with the reason if the node is not handled.
#[derive(Debug)]
pub(crate) enum Condition {
    True,
    False(Skipped),
    /// Plan: the result is known only after an apply.
    Unknown(Skipped),
}

/// The maximum number of characters of a predicate in a message.
const MAX_SHOWN: usize = 120;

/// Evaluates the `when` of a node.
///
/// # Errors
///
/// The predicate cannot be evaluated, is neither true nor false, or is unknown in an apply.
pub(crate) fn evaluate(scope: &NodeScope<'_>) -> Result<Condition, Failure> {
    let (shared, index) = (scope.shared(), scope.index());
    let graph = &shared.graph;
    let node = graph.node(index);
    let Some(condition) = node.meta.as_ref().and_then(|meta| meta.when.as_ref()) else {
        return Ok(Condition::True);
    };
    let mut evaluator = Evaluator::new(scope, graph.sources(), node.span);
    let value = evaluator.input(condition, &Kind::Bool);
    let diagnostics = evaluator.into_diagnostics();
    if !diagnostics.is_empty() {
        return Err(Failure::of_diagnostics(Stage::Render, diagnostics));
    }
    let subject = if node.role == Role::Case { "the predicate" } else { "`when`" };
    let refused = |code, message| {
        let diagnostic = Diagnostic::error(code, message);
        let diagnostic = match condition.span.or(node.span) {
            Some(span) => diagnostic.label(span, ""),
            None => diagnostic,
        };
        Err(Failure::of_diagnostics(Stage::Render, vec![diagnostic]))
    };
    let skipped = |reason| Skipped { cause: cause(node), reason };
    match truth(value.unwrap_or_default()) {
        Value::Bool(true) => Ok(Condition::True),
        Value::Bool(false) => Ok(Condition::False(skipped(reason(graph, index, condition)))),
        Value::Unknown(unknown) if shared.mode() == RunMode::Plan => {
            Ok(Condition::Unknown(skipped(undecided(graph, index, &unknown))))
        }
        Value::Unknown(unknown) => {
            refused("not-known", format!("{subject} is not known: it waits for {}", unknown.waits_for))
        }
        other => refused("wrong-kind", format!("{subject} must be true or false, not {}", other.kind())),
    }
}

/// Returns the node that users regard as the cause; for a module call, the module.
fn cause(node: &Node) -> NodeId {
    match node.role {
        Role::Begin => node.id.parent().unwrap_or_else(|| node.id.clone()),
        _ => node.id.clone(),
    }
}

/// Returns the truth value without its secret mark, because its effect is visible anyway.
///
/// Text that says true or false counts, as it does in a boolean field.
fn truth(value: Value) -> Value {
    match value {
        Value::Secret(inner) => truth(*inner.into_exposed()),
        Value::String(_) => {
            bool::from_value(value.clone(), &Conversion::default()).map_or(value, Value::Bool)
        }
        value => value,
    }
}

fn reason(graph: &Graph, index: NodeIndex, condition: &Input) -> String {
    let source_text = condition.span.map(|span| written(graph.sources().text(span)));
    match (graph.node(index).role, source_text) {
        (Role::Case, Some(text)) => format!("`{text}` is false"),
        (Role::Case, None) => "its predicate is false".to_owned(),
        (_, Some(text)) => format!("`when` is false: `{text}`"),
        (_, None) => "`when` is false".to_owned(),
    }
}

fn undecided(graph: &Graph, index: NodeIndex, unknown: &Unknown) -> String {
    let waits = format!("known after apply: it waits for {}", unknown.waits_for);
    match graph.node(index).role {
        Role::Begin | Role::Case => format!("whether {} is taken is {waits}", graph.called(index)),
        _ => format!("whether it is handled is {waits}"),
    }
}

/// Formats the source text of a predicate on one line, without its quotes.
fn written(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let mut line = inner.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = line.char_indices().nth(MAX_SHOWN) {
        line.truncate(cut);
        line.push_str("..");
    }
    line
}
