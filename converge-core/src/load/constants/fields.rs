//! The fields of a node, as far as their values are known at load.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::attempt::Attempt;
use super::evaluation::{ConstantScope, Constants, UnknownNames};
use super::reachability::Truth;
use super::reporter::Reporter;
use super::template_prefixes::KnownTrees;
use crate::diagnostic::Diagnostic;
use crate::evaluate::{Evaluator, Provenance};
use crate::graph::param::VALUE_FIELD;
use crate::graph::{Attribute, Graph, Input, InputKind, Node, NodeIndex, ResolvedPath, Role, Targets};
use crate::load::misspellings::drop_misspelt;
use crate::load::param;
use crate::types::assumed_values::Assumed;
use crate::types::check;
use crate::types::convert::FromValue;
use crate::types::footprint::Footprint;
use crate::types::schema::{Field, Kind};
use crate::types::scope::ScopeError;
use crate::types::value::{Conversion, FieldError, Value};

/// The fields of one node, each evaluated once.
pub(super) struct NodeFields<'a> {
    constants: &'a Constants,
    graph: &'a Graph,
    node: &'a Node,
    /// What is known of the templates of all nodes that are checked together.
    together: Option<&'a Together<'a>>,
    /// By the index of the field; there are few.
    results: RefCell<Vec<(usize, FieldState)>>,
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// Whether what is looked up is assumed to be what is written there.
    assumes: bool,
}

/// What the nodes have in common that are checked one after the other.
pub(super) struct Together<'a> {
    trees: KnownTrees,
    /// What is written for fields that are looked up, as far as it is known.
    assumed: Assumed<(NodeIndex, usize)>,
    /// What that may cost, which is nobody else's. It reads nothing.
    assuming: Attempt,
    /// Where another thread checks others.
    attempt: Option<&'a Attempt>,
}

impl<'a> Together<'a> {
    pub(super) fn new(constants: &Constants) -> Self {
        let (trees, assumed) = (KnownTrees::default(), Assumed::default());
        Self { trees, assumed, assuming: constants.attempt(), attempt: None }
    }

    /// Some of the nodes, while another thread checks the others.
    pub(super) fn attempted(constants: &Constants, attempt: &'a Attempt) -> Self {
        Self { attempt: Some(attempt), ..Self::new(constants) }
    }

    /// Whether it is time to end, as what was found does not count.
    pub(super) fn is_spoilt(&self) -> bool {
        self.attempt.is_some_and(|attempt| !attempt.is_clean())
    }
}

/// How far the evaluation of a field is.
#[derive(Clone, Debug)]
enum FieldState {
    Open,
    /// `None` after an error.
    Done(Option<Value>),
}

impl<'a> NodeFields<'a> {
    pub(super) fn new(constants: &'a Constants, graph: &'a Graph, node: &'a Node) -> Self {
        Self {
            constants,
            graph,
            node,
            together: None,
            results: RefCell::default(),
            diagnostics: RefCell::default(),
            assumes: false,
        }
    }

    /// The same, where an export is assumed to be what is written for the field of its name, if it is not computed. A task may make something else of that
    /// when it is prepared, so no mistake follows from it.
    pub(super) fn assuming(&self) -> Self {
        let Self { constants, graph, node, together, .. } = *self;
        Self { together, assumes: true, ..Self::new(constants, graph, node) }
    }

    /// What a lookup leads to, if that is what is written there, and known.
    fn assumed(&self, path: &str) -> Option<Value> {
        let together = self.together.filter(|_| self.assumes)?;
        let by_name = || {
            let found = self.graph.resolve(&self.node.scope.container, path)?;
            let ResolvedPath { targets: Targets::One(index), field } = found else { return None };
            Some((index, field))
        };
        let (index, field) = self.graph.find(path).map(|index| (index, Vec::new())).or_else(by_name)?;
        let node = self.graph.node(index);
        let field = match (&*field, node.role) {
            ([], Role::Output | Role::Param) | (["val"], Role::Param) => VALUE_FIELD,
            ([name], Role::Resource) => node.field_of_export(name)?,
            _ => return None,
        };
        let value = together.assumed.value((index, field), || {
            let fields = Self {
                together: Some(together),
                assumes: true,
                ..Self::new(self.constants, self.graph, node)
            };
            let written = fields.written().find(|(attribute, _)| attribute.field == field);
            let default = || node.resource.schema().fields.get(field)?.default.clone();
            written.map_or_else(default, |(attribute, field)| fields.value(attribute, field))
        });
        // What is known then depends on what one thread has asked for before.
        if let (Some(attempt), true) = (together.attempt, together.assumed.was_cut()) {
            attempt.spoil();
        }
        value
    }

    /// The same, of a node that is checked with others.
    pub(super) fn among(self, together: &'a Together<'a>) -> Self {
        Self { together: Some(together), ..self }
    }

    pub(super) fn when(&self, report: &mut Reporter<'_>) -> Truth {
        let Some(when) = self.node.meta.as_ref().and_then(|meta| meta.when.as_ref()) else {
            return Truth::True;
        };
        let value = self.evaluate(when, &Kind::Bool);
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
        let Some(value) = value.filter(|value| value.find_unknown().is_none()) else { return Truth::Unknown };
        match bool::from_value(value, &Conversion::default()) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(errors) => {
                for FieldError { kind, .. } in errors {
                    let diagnostic = Diagnostic::error(kind.code(), format!("when: {kind}"));
                    let diagnostic = diagnostic.label(when.span.or(self.node.span), "");
                    report.push(self.provenance().explain(diagnostic, when, None));
                }
                Truth::Unknown
            }
        }
    }

    /// Evaluates every field and checks it against the schema; and all of them together, when they are known.
    pub(super) fn check(&self, report: &mut Reporter<'_>) {
        for (attribute, field) in self.written() {
            // What is known was checked when it was read.
            if matches!(attribute.input.kind, InputKind::Value(_)) {
                continue;
            }
            let Some(value) = self.value(attribute, field) else { continue };
            let mut errors = check::check_known_part(field, &value);
            drop_misspelt(&mut errors, &[]);
            for error in &errors {
                report.push(self.provenance().diagnose(error));
            }
        }
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
        if self.node.resource.validates() {
            self.check_together(report);
        }
    }

    fn check_together(&self, report: &mut Reporter<'_>) {
        let mut values = Vec::new();
        values.resize_with(self.node.resource.schema().fields.len(), || None);
        for (attribute, field) in self.written() {
            // Where there was a mistake that is reported elsewhere, there is no value.
            let value = self.value(attribute, field).filter(|value| value.find_unknown().is_none());
            let Some(value) = value else { return };
            values[attribute.field] = Some(value);
        }
        for error in self.node.resource.broken_rules(values) {
            report.push(self.provenance().diagnose(&error));
        }
    }

    /// Evaluates the value of a parameter and checks it against what is asked of it.
    pub(super) fn check_param(&self, report: &mut Reporter<'_>) {
        if let Some(input) = self.node.param_value()
            && let Some(value) = self.evaluate(input, &Kind::Any)
        {
            let sources = self.graph.sources();
            let scope = self.scope();
            let checked = param::validate(self.node, value, &scope, sources, self.provenance());
            checked.err().into_iter().flatten().for_each(|diagnostic| report.push(diagnostic));
        }
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
    }

    /// The same for all copies of the resource with the same values; `None` when not all values are known.
    pub(super) fn copy_key(&self) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        Arc::as_ptr(&self.node.attributes).hash(&mut hasher);
        for (attribute, field) in self.written() {
            // What is spelled out is the same in all copies.
            if matches!(attribute.input.kind, InputKind::Value(_)) {
                continue;
            }
            let value = self.plain_value(attribute, field)?;
            if value.find_unknown().is_some() {
                return None;
            }
            value.hash_exposed(&mut hasher);
        }
        Some(hasher.finish())
    }

    /// What the resource manages, needs and touches, as far as it is known.
    pub(super) fn footprint(&self) -> Footprint {
        let fields = &self.node.resource.schema().fields;
        self.node.resource.footprint(|index| {
            let attribute = self.node.attributes.iter().find(|attribute| attribute.field == index)?;
            let value = match &attribute.input.kind {
                InputKind::Value(value) => Some(value.clone()),
                _ => self.value(attribute, fields.get(index)?),
            };
            // What is wrong has been told, and there is no saying what it would be about.
            Some(value.unwrap_or_else(|| Value::unknown("a value that is wrong")))
        })
    }

    /// What the templates give that are the same in every run, each with the index of its field.
    pub(super) fn known_texts(&self) -> impl Iterator<Item = (usize, Arc<str>)> {
        self.written().filter_map(|(attribute, field)| match &attribute.input.kind {
            InputKind::Template(template) if template.is_of_params() => match self.value(attribute, field) {
                Some(Value::String(text)) => Some((attribute.field, text)),
                _ => None,
            },
            _ => None,
        })
    }

    /// What is written, each with its field.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'a Attribute, &'a Field)> {
        let fields = &self.node.resource.schema().fields;
        let with_field = |attribute: &'a Attribute| Some((attribute, fields.get(attribute.field)?));
        self.node.attributes.iter().filter_map(with_field)
    }

    /// The value of a field that is written, as far as it is known; `None` after an error.
    pub(super) fn value(&self, attribute: &Attribute, field: &Field) -> Option<Value> {
        let value = self.plain_value(attribute, field)?;
        Some(if field.sensitive { value.into_secret() } else { value })
    }

    fn plain_value(&self, attribute: &Attribute, field: &Field) -> Option<Value> {
        // To look at what is written costs as much as to look for what came of it.
        if let InputKind::Value(value) = &attribute.input.kind {
            return Some(value.clone());
        }
        if let Some(FieldState::Done(value)) = self.result(attribute.field) {
            return value;
        }
        let place = self.results.borrow().len();
        self.results.borrow_mut().push((attribute.field, FieldState::Open));
        let value = self.evaluate(&attribute.input, &field.kind);
        if let Some((_, state)) = self.results.borrow_mut().get_mut(place) {
            *state = FieldState::Done(value.clone());
        }
        value
    }

    fn result(&self, field: usize) -> Option<FieldState> {
        self.results.borrow().iter().find(|(index, _)| *index == field).map(|(_, state)| state.clone())
    }

    /// What `self.FIELD` is.
    fn this(&self, name: &str) -> Result<Value, ScopeError> {
        let schema = self.node.resource.schema();
        let Some((index, field)) = schema.field(name) else {
            return Err(ScopeError::not_found("field", name, schema.fields.iter().map(|field| field.name)));
        };
        let Some((attribute, _)) = self.written().find(|(written, _)| written.field == index) else {
            return Ok(field.default.clone().unwrap_or_default());
        };
        let unknown = || Value::unknown(format!("self.{name}"));
        // A cycle is reported with its names.
        if matches!(self.result(index), Some(FieldState::Open)) {
            return Ok(unknown());
        }
        // What is wrong with the other field is told there.
        Ok(self.plain_value(attribute, field).unwrap_or_else(unknown))
    }

    fn evaluate(&self, input: &Input, kind: &Kind) -> Option<Value> {
        let (this, assumed) = (|name: &str| self.this(name), |path: &str| self.assumed(path));
        let (scope, sources) = (self.scope().with_self(&this).with_lookups(&assumed), self.graph.sources());
        if let (InputKind::Template(template), Some(together), false) =
            (&input.kind, self.together, self.assumes)
            && let Some(known) = together.trees.render(template, &self.node.scope, &scope)
        {
            return Some(known);
        }
        let mut evaluator =
            Evaluator::new(&scope, sources, self.node.span).with_provenance(self.provenance());
        let value = evaluator.input(input, kind);
        self.diagnostics.borrow_mut().extend(evaluator.into_diagnostics());
        value
    }

    fn scope(&self) -> ConstantScope<'a> {
        let sources = self.graph.sources();
        let scope = ConstantScope::new(self.constants, &self.node.scope, sources, UnknownNames::Ignore);
        scope.within(
            self.together.and_then(
                |together| {
                    if self.assumes { Some(&together.assuming) } else { together.attempt }
                },
            ),
        )
    }

    fn provenance(&self) -> Provenance<'a> {
        Provenance::new(self.graph, self.node)
    }
}
