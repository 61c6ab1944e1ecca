//! Everything that a graph holds and that is not a plain value, evaluated once as far as it is known: what is
//! wrong then is found before anything runs.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};

use super::Statics;
use super::gates::{Gates, Holds};
use super::scope::{Names, StaticScope};
use crate::evaluate::Evaluator;
use crate::graph::{Attribute, Blame, Graph, Input, InputKind, Node, Role};
use crate::load::check::drop_misspelt;
use crate::load::param;
use crate::report::{Diagnostic, Diagnostics, FileId, Severity, Span, close_names};
use crate::schema::{self, Kind};
use crate::scope::ScopeError;
use crate::value::{Conversion, FieldError, FromValue, Value};

/// Evaluates the inputs of all nodes that may be handled, and reports what is wrong with them.
///
/// What cannot be known yet is not judged, and neither is what is behind a gate that is known to be closed. The
/// graph is linked: names that lead nowhere have been reported.
pub(in crate::load) fn check(statics: &Statics, graph: &Graph, diagnostics: &mut Diagnostics) {
    statics.settle_all(graph.sources());
    let mut gates = Gates::default();
    let mut report = Report::new(diagnostics);
    for (index, node) in graph.nodes() {
        let mut when = |gate| Fields::new(statics, graph, graph.node(gate)).when(&mut report);
        if node.role.is_gate() {
            gates.settle(graph, index, &mut when);
            continue;
        }
        let may_pass = gates.may_pass(graph, index, &mut when);
        let fields = Fields::new(statics, graph, node);
        if may_pass && fields.when(&mut report) != Holds::No && node.role == Role::Resource {
            if param::is_param(node) { fields.judge(&mut report) } else { fields.check(&mut report) }
        }
    }
}

/// Takes diagnostics, each once: the instances of a `for_each` and the uses of a module share what is written.
struct Report<'a> {
    seen: HashSet<(String, Vec<Span>)>,
    /// Where something was wrong already, by file and offset: what fails there fails because of that.
    known: BTreeMap<(FileId, u32), u32>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Report<'a> {
    fn new(diagnostics: &'a mut Diagnostics) -> Self {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let known =
            errors.filter_map(Diagnostic::span).map(|span| ((span.file, span.start), span.end)).collect();
        Self { seen: HashSet::new(), known, diagnostics }
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span().is_some_and(|span| self.is_known(span)) {
            return;
        }
        let places = diagnostic.labels.iter().map(|label| label.span).collect();
        if self.seen.insert((diagnostic.message.clone(), places)) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn is_known(&self, span: Span) -> bool {
        let before = self.known.range(..(span.file, span.end)).next_back();
        before.is_some_and(|((file, start), end)| {
            *file == span.file && (*end > span.start || *start >= span.start)
        })
    }
}

/// The fields of one node, each evaluated once.
pub(super) struct Fields<'a> {
    statics: &'a Statics,
    graph: &'a Graph,
    node: &'a Node,
    /// By the position of the attribute; those after the last that was looked at are new.
    results: RefCell<Vec<Slot>>,
    diagnostics: RefCell<Vec<Diagnostic>>,
}

/// How far a field is.
#[derive(Clone, Debug)]
enum Slot {
    New,
    Open,
    /// `None` after an error.
    Done(Option<Value>),
}

impl<'a> Fields<'a> {
    fn new(statics: &'a Statics, graph: &'a Graph, node: &'a Node) -> Self {
        Self { statics, graph, node, results: RefCell::default(), diagnostics: RefCell::default() }
    }

    /// What is known of the node's own condition.
    fn when(&self, report: &mut Report<'_>) -> Holds {
        let Some(when) = self.node.meta.as_ref().and_then(|meta| meta.when.as_ref()) else {
            return Holds::Yes;
        };
        let value = self.evaluate(when, &Kind::Bool);
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
        let Some(value) = value.filter(|value| value.find_unknown().is_none()) else { return Holds::Maybe };
        match bool::from_value(value, &Conversion::default()) {
            Ok(true) => Holds::Yes,
            Ok(false) => Holds::No,
            Err(errors) => {
                for FieldError { kind, .. } in errors {
                    let diagnostic = Diagnostic::error(kind.code(), format!("when: {kind}"));
                    let diagnostic = match when.span.or(self.node.span) {
                        Some(span) => diagnostic.label(span, ""),
                        None => diagnostic,
                    };
                    report.push(self.blame().explain(diagnostic, when, None));
                }
                Holds::Maybe
            }
        }
    }

    /// Evaluates every field and checks it against the schema; and all of them together, when they are known.
    fn check(&self, report: &mut Report<'_>) {
        for (position, attribute) in self.node.attributes.iter().enumerate() {
            // What is known was checked when it was read.
            if matches!(attribute.input.kind, InputKind::Value(_)) {
                continue;
            }
            let Some(value) = self.value(position, attribute) else { continue };
            let Some(field) = self.node.resource.schema().fields.get(attribute.field) else { continue };
            let value = if field.sensitive { value.into_secret() } else { value };
            let mut errors = schema::check_known_part(field, &value);
            drop_misspelt(&mut errors, &[]);
            for error in &errors {
                report.push(self.blame().diagnose(error));
            }
        }
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
        if self.node.resource.validates() {
            self.check_together(report);
        }
    }

    /// The rules of the type itself.
    fn check_together(&self, report: &mut Report<'_>) {
        let mut values = Vec::new();
        values.resize_with(self.node.resource.schema().fields.len(), || None);
        for (position, attribute) in self.node.attributes.iter().enumerate() {
            // Where there was a mistake that is reported elsewhere, there is no value.
            let Some(value) = self.value(position, attribute) else { return };
            if value.find_unknown().is_some() {
                return;
            }
            let field = self.node.resource.schema().fields.get(attribute.field);
            let value = if field.is_some_and(|field| field.sensitive) { value.into_secret() } else { value };
            if let Some(place) = values.get_mut(attribute.field) {
                *place = Some(value);
            }
        }
        for error in self.node.resource.broken_rules(values) {
            report.push(self.blame().diagnose(&error));
        }
    }

    /// Evaluates the value of a parameter and checks it against what is asked of it.
    fn judge(&self, report: &mut Report<'_>) {
        if let Some(input) = param::value(&self.node.attributes)
            && let Some(value) = self.evaluate(input, &Kind::Any)
        {
            let sources = self.graph.sources();
            let scope = StaticScope::new(self.statics, &self.node.site, sources, Names::Linked);
            let judged = param::judge(self.node, value, &scope, sources, self.blame());
            judged.err().into_iter().flatten().for_each(|diagnostic| report.push(diagnostic));
        }
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
    }

    /// The value of a field that is written, as far as it is known; `None` after an error.
    fn value(&self, position: usize, attribute: &Attribute) -> Option<Value> {
        if let Some(Slot::Done(value)) = self.results.borrow().get(position) {
            return value.clone();
        }
        self.mark(position, Slot::Open);
        let kind = self.node.resource.schema().fields.get(attribute.field).map(|field| &field.kind);
        let value = self.evaluate(&attribute.input, kind.unwrap_or(&Kind::Any));
        self.mark(position, Slot::Done(value.clone()));
        value
    }

    fn mark(&self, position: usize, slot: Slot) {
        let mut results = self.results.borrow_mut();
        if results.len() <= position {
            results.resize(self.node.attributes.len().max(position + 1), Slot::New);
        }
        results[position] = slot;
    }

    /// What `self.FIELD` is.
    pub(super) fn this(&self, name: &str) -> Result<Value, ScopeError> {
        let schema = self.node.resource.schema();
        let Some((index, field)) = schema.field(name) else {
            let close = close_names(name, schema.fields.iter().map(|field| field.name));
            let close = close.into_iter().map(str::to_owned).collect();
            return Err(ScopeError::NotFound { what: "field", name: name.into(), close });
        };
        let written = self.node.attributes.iter().enumerate().find(|(_, written)| written.field == index);
        let Some((position, attribute)) = written else {
            return Ok(field.default.clone().unwrap_or_default());
        };
        let unknown = || Value::unknown(format!("self.{name}"));
        // A circle is reported with its names.
        if matches!(self.results.borrow().get(position), Some(Slot::Open)) {
            return Ok(unknown());
        }
        // What is wrong with the other field is told there.
        Ok(self.value(position, attribute).unwrap_or_else(unknown))
    }

    fn evaluate(&self, input: &Input, kind: &Kind) -> Option<Value> {
        let sources = self.graph.sources();
        let scope = StaticScope::new(self.statics, &self.node.site, sources, Names::Linked).of_node(self);
        let mut evaluator = Evaluator::new(&scope, sources, self.node.span).blaming(self.blame());
        let value = evaluator.input(input, kind);
        self.diagnostics.borrow_mut().extend(evaluator.into_diagnostics());
        value
    }

    fn blame(&self) -> Blame<'a> {
        Blame::new(self.graph, self.node)
    }
}
