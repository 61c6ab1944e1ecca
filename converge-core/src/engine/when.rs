//! `when`, and the predicates of cases: whether a node is handled.

use super::event::{Failure, Skipped, Stage};
use super::scope::NodeScope;
use super::shared::Shared;
use crate::context::Mode;
use crate::evaluate::Evaluator;
use crate::graph::{Graph, Input, Node, NodeId, NodeIndex, Role};
use crate::report::{Diagnostic, Span};
use crate::schema::Kind;
use crate::value::{Conversion, FromValue, Unknown, Value};

/// What a `when` says.
#[derive(Debug)]
pub(super) enum Verdict {
    /// The node is handled.
    Taken,
    /// It is not.
    NotTaken(Skipped),
    /// Plan: that is known only after an apply.
    Undecided(Skipped),
}

/// How much of a written predicate a message shows.
const SHOWN: usize = 120;

/// Evaluates the `when` of a node.
///
/// # Errors
///
/// What cannot be evaluated, is neither true nor false, or is not known in an apply.
pub(super) fn evaluate(shared: &Shared, index: NodeIndex, when: &Input) -> Result<Verdict, Failure> {
    let graph = &shared.graph;
    let node = graph.node(index);
    let scope = NodeScope::new(shared, index);
    let mut evaluator = Evaluator::new(&scope, graph.sources(), node.span);
    let value = evaluator.input(when, &Kind::Bool);
    let diagnostics = evaluator.into_diagnostics();
    match truth(peel(value.unwrap_or_default())) {
        _ if !diagnostics.is_empty() => Err(refused(diagnostics)),
        Value::Bool(true) => Ok(Verdict::Taken),
        Value::Bool(false) => {
            Ok(Verdict::NotTaken(Skipped { cause: cause(node), reason: reason(graph, index, when) }))
        }
        Value::Unknown(unknown) if shared.mode() == Mode::Plan => {
            Ok(Verdict::Undecided(Skipped { cause: cause(node), reason: undecided(graph, index, &unknown) }))
        }
        Value::Unknown(unknown) => {
            let message = format!("{} is not known: it waits for {}", what(node.role), unknown.waits_for);
            Err(refused(vec![at("not-known", message, when.span.or(node.span))]))
        }
        other => {
            let message = format!("{} must be true or false, not {}", what(node.role), other.kind());
            Err(refused(vec![at("wrong-kind", message, when.span.or(node.span))]))
        }
    }
}

/// What is inside a secret. Whether something is handled shows in what is done, so that is no secret.
fn peel(value: Value) -> Value {
    match value {
        Value::Secret(inner) => peel(*inner.into_exposed()),
        other => other,
    }
}

/// What people see as what decided: of a call, the module.
fn cause(node: &Node) -> NodeId {
    match node.role {
        Role::Begin => node.id.parent().unwrap_or_else(|| node.id.clone()),
        _ => node.id.clone(),
    }
}

/// Text that says true or false, as a field that is a bool takes it.
fn truth(value: Value) -> Value {
    match &value {
        Value::String(_) => {
            bool::from_value(value.clone(), &Conversion::default()).map_or(value, Value::Bool)
        }
        _ => value,
    }
}

fn what(role: Role) -> &'static str {
    if role == Role::Case { "the predicate" } else { "`when`" }
}

fn reason(graph: &Graph, index: NodeIndex, when: &Input) -> String {
    let written = when.span.map(|span| written(graph.sources().text(span)));
    match (graph.node(index).role, written) {
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

/// A predicate as it is written, on one line and without its quotes.
fn written(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let mut line = inner.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = line.char_indices().nth(SHOWN) {
        line.truncate(cut);
        line.push_str("..");
    }
    line
}

fn at(code: &'static str, message: String, span: Option<Span>) -> Diagnostic {
    let diagnostic = Diagnostic::error(code, message);
    match span {
        Some(span) => diagnostic.label(span, ""),
        None => diagnostic,
    }
}

fn refused(diagnostics: Vec<Diagnostic>) -> Failure {
    let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    Failure { stage: Stage::Render, message: messages.join("\n"), diagnostics }
}
