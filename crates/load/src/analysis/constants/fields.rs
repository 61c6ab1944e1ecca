//! The field values of a node, as far as they are known at load.

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::evaluation::{ConstantScope, Constants, UnknownNames};
use super::reachability::Truth;
use super::reporter::Reporter;
use super::template_prefixes::KnownTrees;
use crate::diagnostic::Diagnostic;
use crate::evaluate::{Evaluator, Provenance};
use crate::graph::param::VALUE_FIELD;
use crate::graph::{Attribute, Graph, Input, InputKind, Node, NodeIndex, ResolvedPath, Role, Targets};
use crate::types::misspellings::drop_misspelt;
use converge_language::language::WorkBudget;
use converge_value::types::assumed_values::Assumed;
use converge_value::types::check;
use converge_value::types::convert::FromValue;
use converge_value::types::footprint::Footprint;
use converge_value::types::schema::{Field, Kind};
use converge_value::types::scope::ScopeError;
use converge_value::types::value::{Conversion, FieldError, Value};

/// The fields of one node, each evaluated once.
pub(super) struct NodeFields<'a> {
    constants: &'a Constants,
    graph: &'a Graph,
    node: &'a Node,
    /// Knowledge shared by all nodes that are checked together.
    together: Option<&'a SharedState>,
    /// The results by field index, in a list because there are few.
    results: RefCell<Vec<(usize, FieldState)>>,
    diagnostics: RefCell<Vec<Diagnostic>>,
    /// Whether a lookup is assumed to give the value that is declared for the looked-up field.
    assumes: bool,
}

/// State shared by the nodes of one check.
pub(super) struct SharedState {
    trees: KnownTrees,
    /// The declared values of looked-up fields, as far as they are known.
    assumed: Assumed<(NodeIndex, usize)>,
    /// The separate budget for computing assumed values, during which no file is read.
    assuming: WorkBudget,
}

impl SharedState {
    pub(super) fn new(constants: &Constants) -> Self {
        let (trees, assumed) = (KnownTrees::default(), Assumed::default());
        Self { trees, assumed, assuming: constants.separate_budget() }
    }
}

/// The progress of the evaluation of a field.
#[derive(Clone, Debug)]
enum FieldState {
    Open,
    /// The field was evaluated; `None` after an error.
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

    /// Returns the same fields, with lookups assumed to give the declared value of the looked-up field.
    ///
    /// Computed exports are not assumed. A task may still prepare a different value, so no error is reported
    /// because of an assumption.
    pub(super) fn assuming(&self) -> Self {
        let Self { constants, graph, node, together, .. } = *self;
        Self { together, assumes: true, ..Self::new(constants, graph, node) }
    }

    /// Returns the assumed value of a lookup, if the declared value is known.
    fn assumed(&self, path: &str) -> Option<Value> {
        let together = self.together.filter(|_| self.assumes)?;
        let by_name = || {
            let resolution = self.graph.resolve(&self.node.scope.container, path)?;
            let ResolvedPath { targets: Targets::One(index), field } = resolution else { return None };
            Some((index, field))
        };
        let (index, field) = self.graph.find(path).map(|index| (index, Vec::new())).or_else(by_name)?;
        let node = self.graph.node(index);
        let field = match (&*field, node.role) {
            ([], Role::Output | Role::Param) | (["val"], Role::Param) => VALUE_FIELD,
            ([name], Role::Resource) => node.field_of_export(name)?,
            _ => return None,
        };
        together.assumed.value((index, field), || {
            let fields = Self {
                together: Some(together),
                assumes: true,
                ..Self::new(self.constants, self.graph, node)
            };
            let attribute_entry = fields.written().find(|(attribute, _)| attribute.field == field);
            let default = || node.resource.schema().fields.get(field)?.default.clone();
            attribute_entry.map_or_else(default, |(attribute, field)| fields.value(attribute, field))
        })
    }

    /// Sets the state shared with the other nodes of the check.
    pub(super) fn among(self, together: &'a SharedState) -> Self {
        Self { together: Some(together), ..self }
    }

    pub(super) fn when(&self, report: &mut Reporter<'_>) -> Truth {
        let Some(condition) = self.node.meta.as_ref().and_then(|meta| meta.when.as_ref()) else {
            return Truth::True;
        };
        let value = self.evaluate(condition, &Kind::Bool);
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
        let Some(value) = value.filter(|value| value.find_unknown().is_none()) else { return Truth::Unknown };
        match bool::from_value(value, &Conversion::default()) {
            Ok(true) => Truth::True,
            Ok(false) => Truth::False,
            Err(errors) => {
                for FieldError { kind, .. } in errors {
                    let diagnostic = Diagnostic::error(kind.code(), format!("when: {kind}"));
                    let diagnostic = diagnostic.label(condition.span.or(self.node.span), "");
                    report.push(self.provenance().explain(diagnostic, condition, None));
                }
                Truth::Unknown
            }
        }
    }

    /// Evaluates every field and checks it against the schema, then checks known fields together.
    pub(super) fn check(&self, report: &mut Reporter<'_>) {
        let mut is_computed = false;
        for (attribute, field) in self.written() {
            // Known values were checked when they were parsed.
            if matches!(attribute.input.kind, InputKind::Value(_)) {
                continue;
            }
            is_computed = true;
            let Some(value) = self.value(attribute, field) else { continue };
            let mut errors = check::check_known_part(field, &value);
            drop_misspelt(&mut errors, &[]);
            for error in &errors {
                report.push(self.provenance().diagnose(error));
            }
        }
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
        if is_computed {
            self.check_shape(report);
        }
        if self.node.resource.validates() {
            self.check_together(report);
        }
    }

    /// Checks the rules between fields, which may depend on whether a computed value is null.
    fn check_shape(&self, report: &mut Reporter<'_>) {
        let value = |attribute: &Attribute, field: &Field| {
            self.value(attribute, field).unwrap_or_else(|| Value::unknown("a value that is wrong"))
        };
        let mut errors = self.node.shape_errors(&value);
        // A field that seems to be missing may be in a part of the file that could not be read.
        if report.has_error_in(self.node.span) {
            errors.retain(|error| !error.kind.is_about_absence());
        }
        for error in &errors {
            report.push(self.provenance().diagnose(error));
        }
    }

    fn check_together(&self, report: &mut Reporter<'_>) {
        let mut values = Vec::new();
        values.resize_with(self.node.resource.schema().fields.len(), || None);
        for (attribute, field) in self.written() {
            // A field with an error that is reported elsewhere has no value.
            let value = self.value(attribute, field).filter(|value| value.find_unknown().is_none());
            let Some(value) = value else { return };
            values[attribute.field] = Some(value);
        }
        for error in self.node.resource.broken_rules(values) {
            report.push(self.provenance().diagnose(&error));
        }
    }

    /// Evaluates the value of a parameter and checks it against the parameter's rules.
    pub(super) fn check_param(&self, report: &mut Reporter<'_>) {
        if let Some(input) = self.node.param_value()
            && let Some(value) = self.evaluate(input, &Kind::Any)
        {
            let sources = self.graph.sources();
            let scope = self.scope();
            let checked =
                converge_graph::param_value::validate(self.node, value, &scope, sources, self.provenance());
            checked.err().into_iter().flatten().for_each(|diagnostic| report.push(diagnostic));
        }
        self.diagnostics.borrow_mut().drain(..).for_each(|diagnostic| report.push(diagnostic));
    }

    /// Returns a key that is equal for copies with the same values, or `None` if a value is unknown.
    pub(super) fn copy_key(&self) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        Arc::as_ptr(&self.node.attributes).hash(&mut hasher);
        for (attribute, field) in self.written() {
            // Literal values are the same in all copies.
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

    /// Returns the footprint of the resource as far as it is known.
    pub(super) fn footprint(&self) -> Footprint {
        let fields = &self.node.resource.schema().fields;
        self.node.resource.footprint(|index| {
            let attribute = self.node.attributes.iter().find(|attribute| attribute.field == index)?;
            let value = match &attribute.input.kind {
                InputKind::Value(value) => Some(value.clone()),
                _ => self.value(attribute, fields.get(index)?),
            };
            // The error was already reported, and nothing is known about the thing that the field names.
            Some(value.unwrap_or_else(|| Value::unknown("a value that is wrong")))
        })
    }

    /// Returns the results of templates that are the same in every run, with their field indexes.
    pub(super) fn known_texts(&self) -> impl Iterator<Item = (usize, Arc<str>)> {
        self.written().filter_map(|(attribute, field)| match &attribute.input.kind {
            InputKind::Template(template) if template.is_of_params() => match self.value(attribute, field) {
                Some(Value::String(text)) => Some((attribute.field, text)),
                _ => None,
            },
            _ => None,
        })
    }

    /// Returns the declared attributes with their fields.
    pub(super) fn written(&self) -> impl Iterator<Item = (&'a Attribute, &'a Field)> {
        let fields = &self.node.resource.schema().fields;
        let with_field = |attribute: &'a Attribute| Some((attribute, fields.get(attribute.field)?));
        self.node.attributes.iter().filter_map(with_field)
    }

    /// Returns the value of a declared field as far as it is known; `None` after an error.
    pub(super) fn value(&self, attribute: &Attribute, field: &Field) -> Option<Value> {
        let value = self.plain_value(attribute, field)?;
        Some(if field.sensitive { value.into_secret() } else { value })
    }

    fn plain_value(&self, attribute: &Attribute, field: &Field) -> Option<Value> {
        // Reading a literal costs no more than searching for its cached result.
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

    fn self_value(&self, name: &str) -> Result<Value, ScopeError> {
        let schema = self.node.resource.schema();
        let Some((index, field)) = schema.field(name) else {
            return Err(ScopeError::not_found("field", name, schema.fields.iter().map(|field| field.name)));
        };
        let Some((attribute, _)) = self.written().find(|(written, _)| written.field == index) else {
            return Ok(field.default.clone().unwrap_or_default());
        };
        let unknown = || Value::unknown(format!("self.{name}"));
        // The cycle is reported elsewhere, with the names of its fields.
        if matches!(self.result(index), Some(FieldState::Open)) {
            return Ok(unknown());
        }
        // An error in the other field is reported there.
        Ok(self.plain_value(attribute, field).unwrap_or_else(unknown))
    }

    fn evaluate(&self, input: &Input, kind: &Kind) -> Option<Value> {
        let (this, assumed) = (|name: &str| self.self_value(name), |path: &str| self.assumed(path));
        let (scope, sources) = (self.scope().with_self(&this).with_lookups(&assumed), self.graph.sources());
        if let (InputKind::Template(template), Some(together), false) =
            (&input.kind, self.together, self.assumes)
            && let Some(value) = together.trees.render(template, &self.node.scope, &scope)
        {
            return Some(value);
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
        scope.assuming(self.together.filter(|_| self.assumes).map(|together| &together.assuming))
    }

    fn provenance(&self) -> Provenance<'a> {
        Provenance::new(self.graph, self.node)
    }
}
