//! Evaluation of constants: parameters, and everything that can be computed from them.
//!
//! Parameters are declared from the outermost module inwards. Each is evaluated once, on first use. Values
//! that only a run can provide (lookups, the machine) are unknown.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;

use super::file_lookups::FileLooks;
use crate::diagnostic::{Diagnostic, SourceMap};
use crate::evaluate::Evaluator;
use crate::graph::{Attribute, EachIs, Input, LexicalScope, Module, Node, ParamRules, Role, param};
use crate::language::WorkBudget;
use crate::language::template::{LazyText, Reference, ReferenceTarget, Template};
use crate::model::purpose::Purpose;
use crate::redact::Redactor;
use converge_graph::param_value::too_large;
use converge_source::ModuleText;
use converge_value::types::base_path::BasePath;
use converge_value::types::folder_entry::FolderEntry;
use converge_value::types::function::ModuleFunctions;
use converge_value::types::hash::{NameHasher, NameIndexMap};
use converge_value::types::id::NodeId;
use converge_value::types::local_path::local_name;
use converge_value::types::platform::Platform;
use converge_value::types::schema::Kind;
use converge_value::types::scope::{Each, Scope, ScopeError};
use converge_value::types::value::{Unknown, Value};

/// The maximum depth of parameters that refer to each other by computed names.
///
/// Literal names are followed without a limit, because they need no recursion.
const MAX_COMPUTED: usize = 16;

/// The dependency that an unknown parameter names when a module is inspected without being run.
const GIVEN_LATER: &str = "a value that is given when it runs";

/// The parameters of all modules of a load, and the files that expressions read.
pub(crate) struct Constants {
    purpose: Purpose,
    budget: Arc<WorkBudget>,
    functions: ModuleFunctions,
    /// The report that the work limit is exceeded.
    ///
    /// It is reported once, and nothing is evaluated afterwards.
    limit_error: RefCell<Option<Diagnostic>>,
    /// The parameters by module and name.
    ///
    /// They are in declaration order, so that an exceeded limit is always reported at the same place.
    params: NameIndexMap<NodeId, NameIndexMap<Box<str>, DeclaredParam>>,
    files: RefCell<HashMap<PathBuf, Result<Arc<str>, ScopeError>>>,
    looks: FileLooks,
    /// The current depth of parameters with computed names.
    depth: Cell<usize>,
    /// A placeholder for the machine, which is unknown at load.
    unknown_platform: Platform,
}

/// A parameter in one use of a module.
struct DeclaredParam {
    id: NodeId,
    rules: Option<Arc<ParamRules>>,
    attributes: Arc<Vec<Attribute>>,
    scope: Arc<LexicalScope>,
    is_open: Cell<bool>,
    result: OnceCell<ConstantResult>,
}

enum ConstantResult {
    /// A value, which may be unknown.
    Value(Value),
    /// No value, for these reasons or for one that is reported elsewhere.
    Wrong(Vec<Diagnostic>),
}

/// Returns the key of a local among the parameters of its module; no parameter name contains a `/`.
fn local_key(name: &str) -> String {
    format!("local/{name}")
}

/// A step of the traversal of parameters that refer to each other.
enum Visit<'a> {
    Enter(&'a DeclaredParam),
    Leave(&'a DeclaredParam),
}

impl Constants {
    /// Creates constants without parameters; evaluation is counted against `budget`.
    pub(crate) fn new(purpose: Purpose, budget: Arc<WorkBudget>) -> Self {
        Self {
            purpose,
            budget,
            functions: ModuleFunctions::default(),
            limit_error: RefCell::default(),
            params: NameIndexMap::default(),
            files: RefCell::default(),
            looks: FileLooks::default(),
            depth: Cell::new(0),
            unknown_platform: Platform::default(),
        }
    }

    /// Sets the functions that the program registered.
    pub(crate) fn with_functions(self, functions: &ModuleFunctions) -> Self {
        Self { functions: functions.clone(), ..self }
    }

    /// Creates a budget with the full limits of the load and its own count.
    pub(super) fn separate_budget(&self) -> WorkBudget {
        WorkBudget::from_limits(*self.budget.limits()).until(self.budget.stop().cloned())
    }

    pub(crate) fn shared_budget(&self) -> Arc<WorkBudget> {
        Arc::clone(&self.budget)
    }

    pub(crate) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Returns whether a value is unknown only because the module is inspected rather than run.
    pub(crate) fn is_given_later(&self, unknown: &Unknown) -> bool {
        self.purpose == Purpose::Inspect && &*unknown.waits_for == GIVEN_LATER
    }

    /// Declares a parameter with its value, from the node that the graph will contain; ignores other nodes.
    pub(crate) fn declare(&mut self, node: &Node) {
        if node.role != Role::Param {
            return;
        }
        let Some(module) = node.id.parent() else { return };
        let name: Cow<'_, str> = match node.id.name().split_once('.') {
            Some(("param", name)) => name.into(),
            Some(("local", name)) => local_key(name).into(),
            _ => return,
        };
        let param = DeclaredParam {
            id: node.id.clone(),
            rules: node.meta.as_ref().and_then(|meta| meta.param.rules.clone()),
            attributes: Arc::clone(&node.attributes),
            scope: Arc::clone(&node.scope),
            is_open: Cell::new(false),
            result: OnceCell::new(),
        };
        // Most modules have few parameters, so no capacity is reserved.
        self.params
            .entry(module)
            .or_insert_with(|| NameIndexMap::with_capacity_and_hasher(1, NameHasher::default()))
            .insert(name.into(), param);
    }

    /// Evaluates an input that shapes the graph, such as `for_each`, as far as it is known.
    ///
    /// The input is evaluated in `scope`, for a field of the given kind. An unknown parameter is reported
    /// here, because nothing else checks such an input.
    ///
    /// # Errors
    ///
    /// Fails with all errors of the input. The list is empty if the error is reported elsewhere, such as a
    /// parameter without a value or with an invalid one.
    pub(crate) fn evaluate(
        &self,
        input: &Input,
        kind: &Kind,
        scope: &LexicalScope,
        sources: &SourceMap,
    ) -> Result<Value, Vec<Diagnostic>> {
        self.evaluate_references(input, scope, sources);
        if self.budget.is_exhausted() {
            return Err(Vec::new());
        }
        let scope = ConstantScope::new(self, scope, sources, UnknownNames::Report);
        match self.run(input, kind, &scope) {
            ConstantResult::Value(value) => Ok(value),
            ConstantResult::Wrong(diagnostics) => Err(diagnostics),
        }
    }

    fn run(&self, input: &Input, kind: &Kind, scope: &ConstantScope<'_>) -> ConstantResult {
        let was_exhausted = self.budget.is_exhausted();
        let mut evaluator = Evaluator::new(scope, scope.sources, None);
        match evaluator.input(input, kind) {
            // An unknown value caused by an error must not be mistaken for one that a run provides.
            Some(value) if scope.saw_mistake.get() && value.find_unknown().is_some() => {
                ConstantResult::Wrong(Vec::new())
            }
            Some(value) => ConstantResult::Value(value),
            None => {
                let mut diagnostics = evaluator.into_diagnostics();
                if self.budget.is_exhausted() && !was_exhausted {
                    self.set_limit_error(diagnostics.pop());
                }
                ConstantResult::Wrong(diagnostics)
            }
        }
    }

    /// Returns a text that a reference computes, if constants determine it.
    pub(crate) fn text(
        &self,
        text: &LazyText,
        scope: &LexicalScope,
        sources: &SourceMap,
    ) -> Option<Arc<str>> {
        if self.budget.is_exhausted() {
            return None;
        }
        let scope = ConstantScope::new(self, scope, sources, UnknownNames::Ignore);
        text.in_scope(&scope).filter(|_| !scope.saw_mistake.get())
    }

    /// Returns the references of a file that `templatefile` reads, if its path is known.
    ///
    /// The call reports the errors of the file.
    pub(crate) fn references_of_file(
        &self,
        path: &LazyText,
        scope: &LexicalScope,
        sources: &SourceMap,
    ) -> Vec<Reference> {
        let text = self.text(path, scope, sources).and_then(|path| self.read(&scope.module, &path).ok());
        let template = text.and_then(|text| Template::parse_with(&text, &self.functions).ok());
        template.map(|template| template.references().to_vec()).unwrap_or_default()
    }

    fn param(&self, scope: &LexicalScope, name: &str) -> Option<&DeclaredParam> {
        self.params.get(&scope.module.id)?.get(name)
    }

    /// Returns the local that a path refers to.
    fn local(&self, scope: &LexicalScope, path: &str) -> Option<&DeclaredParam> {
        self.param(scope, &local_key(local_name(path)?))
    }

    /// Evaluates the parameters that an input refers to, and their dependencies first.
    ///
    /// This is a loop rather than a recursion, so that chains of parameters may have any length.
    fn evaluate_references(&self, input: &Input, scope: &LexicalScope, sources: &SourceMap) {
        let mut steps = Vec::new();
        self.enter(input, scope, &mut steps);
        self.walk(steps, sources);
    }

    /// Registers the known values of sensitive parameters for redaction.
    ///
    /// Returns the IDs of the parameters whose values are too short to be redacted.
    pub(crate) fn hide_secrets(&self, redactor: &Redactor) -> Vec<&NodeId> {
        let mut short = Vec::new();
        for param in self.params.values().flat_map(IndexMap::values) {
            let is_sensitive = param.rules.as_ref().is_some_and(|rules| rules.sensitive);
            match param.result.get() {
                Some(ConstantResult::Value(value)) if is_sensitive && !redactor.hide_value(value) => {
                    short.push(&param.id);
                }
                // The value may contain a secret item.
                Some(ConstantResult::Value(value)) => redactor.hide_secrets_in(value),
                _ => {}
            }
            // A value that was rejected is hidden too.
            if let Some(value) = param::value(&param.attributes).filter(|_| is_sensitive) {
                redactor.hide_value(&value.known_part());
            }
        }
        short.sort_unstable();
        short
    }

    /// Returns the ids of the sensitive parameters whose value is a part of a text.
    pub(crate) fn secrets_in(&self, text: &str) -> Vec<&NodeId> {
        let is_in =
            |value: &Value| value.as_str().is_some_and(|value| !value.is_empty() && text.contains(value));
        let params = self.params.values().flat_map(IndexMap::values).filter(|param| {
            let is_sensitive = param.rules.as_ref().is_some_and(|rules| rules.sensitive);
            let Some(ConstantResult::Value(value)) = param.result.get() else { return false };
            is_sensitive
                && match value {
                    Value::Secret(secret) => is_in(secret.expose()),
                    value => is_in(value),
                }
        });
        let mut ids: Vec<&NodeId> = params.map(|param| &param.id).collect();
        ids.sort_unstable();
        ids
    }

    pub(super) fn evaluate_all(&self, sources: &SourceMap) {
        // The stack is popped from its end, so the order is reversed.
        let params = self.params.values().rev().flat_map(|params| params.values().rev());
        self.walk(params.map(Visit::Enter).collect(), sources);
    }

    fn walk<'a>(&'a self, mut steps: Vec<Visit<'a>>, sources: &SourceMap) {
        while let Some(step) = steps.pop() {
            match step {
                // A parameter whose evaluation is open is part of a cycle, which linking reports.
                Visit::Enter(param) if param.is_open.get() || param.result.get().is_some() => {}
                Visit::Enter(param) => {
                    param.is_open.set(true);
                    steps.push(Visit::Leave(param));
                    if let Some(input) = param::value(&param.attributes) {
                        self.enter(input, &param.scope, &mut steps);
                    }
                }
                Visit::Leave(param) => {
                    let outcome = self.value_of(param, sources);
                    param.is_open.set(false);
                    param.result.get_or_init(|| outcome);
                }
            }
        }
    }

    fn enter<'a>(&'a self, input: &Input, scope: &LexicalScope, steps: &mut Vec<Visit<'a>>) {
        input.for_each_leaf(&mut |leaf| {
            let names = leaf.own_references().iter().filter_map(|reference| match &reference.target {
                ReferenceTarget::Param(name) => self.param(scope, name),
                target => target.path().and_then(|path| self.local(scope, path)),
            });
            steps.extend(names.map(Visit::Enter));
        });
    }

    /// Evaluates a parameter whose dependencies were already evaluated.
    fn value_of(&self, param: &DeclaredParam, sources: &SourceMap) -> ConstantResult {
        match (param::value(&param.attributes), self.purpose) {
            (Some(input), _) => {
                let scope = ConstantScope::new(self, &param.scope, sources, UnknownNames::Ignore);
                match (self.kept(self.run(input, &Kind::Any, &scope), input), &param.rules) {
                    // A rejected value is reported when the whole graph is checked.
                    (ConstantResult::Value(value), Some(rules)) => rules
                        .take(value)
                        .map_or_else(|_| ConstantResult::Wrong(Vec::new()), ConstantResult::Value),
                    (outcome, _) => outcome,
                }
            }
            (None, Purpose::Run) => ConstantResult::Wrong(Vec::new()),
            (None, Purpose::Inspect) => ConstantResult::Value(Value::unknown(GIVEN_LATER)),
        }
    }

    /// Returns the result if the memory limit allows keeping its value.
    fn kept(&self, result: ConstantResult, input: &Input) -> ConstantResult {
        match &result {
            ConstantResult::Value(value) if self.budget.keep(value).is_err() => {
                if !self.budget.is_exhausted() {
                    self.budget.exhaust();
                    let too_much = too_large(self.budget.limits().work.memory, input.span);
                    self.set_limit_error(Some(too_much));
                }
                ConstantResult::Wrong(Vec::new())
            }
            _ => result,
        }
    }

    fn set_limit_error(&self, diagnostic: Option<Diagnostic>) {
        self.limit_error.replace(diagnostic);
    }

    /// Takes the report that the work limit is exceeded.
    pub(super) fn take_limit_error(&self) -> Option<Diagnostic> {
        self.limit_error.take()
    }

    /// Returns whether the work budget is exhausted.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.is_exhausted()
    }

    /// Returns whether the load was cancelled.
    pub(crate) fn is_stopped(&self) -> bool {
        self.budget.stopped().is_some()
    }

    /// Returns the result of a parameter, and evaluates it first if a computed name leads to it.
    fn result<'a>(&'a self, param: &'a DeclaredParam, sources: &SourceMap) -> Option<&'a ConstantResult> {
        if param.result.get().is_none() && !param.is_open.get() && self.depth.get() < MAX_COMPUTED {
            self.depth.update(|depth| depth + 1);
            self.walk(vec![Visit::Enter(param)], sources);
            self.depth.update(|depth| depth - 1);
        }
        param.result.get()
    }

    /// Returns the text of a file of a module; each file is read once.
    fn read(&self, module: &Module, path: &str) -> Result<Arc<str>, ScopeError> {
        let file = ModuleText::new(module, path)?;
        let mut files = self.files.borrow_mut();
        if let Some(have) = files.get(&file.name) {
            return have.clone();
        }
        let text = file.read(&self.budget);
        files.insert(file.name, text.clone());
        text
    }
}

/// The handling of names that do not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnknownNames {
    /// Names are reported here, because nothing else checks them.
    Report,
    /// Names are ignored here, because linking reports them.
    Ignore,
}

/// A function that returns the value of `self.FIELD` within a resource.
type SelfFields<'a> = &'a dyn Fn(&str) -> Result<Value, ScopeError>;

/// A function that returns the value of a lookup, if it is known or assumed.
type Lookups<'a> = &'a dyn Fn(&str) -> Option<Value>;

pub(super) struct ConstantScope<'a> {
    constants: &'a Constants,
    scope: &'a LexicalScope,
    sources: &'a SourceMap,
    names: UnknownNames,
    self_fields: Option<SelfFields<'a>>,
    lookups: Option<Lookups<'a>>,
    /// The budget of an assumption, during which no file is read.
    assuming: Option<&'a WorkBudget>,
    /// Whether a value was unknown because of an error that is reported elsewhere.
    saw_mistake: Cell<bool>,
}

impl<'a> ConstantScope<'a> {
    pub(super) fn new(
        constants: &'a Constants,
        scope: &'a LexicalScope,
        sources: &'a SourceMap,
        names: UnknownNames,
    ) -> Self {
        Self {
            constants,
            scope,
            sources,
            names,
            self_fields: None,
            lookups: None,
            assuming: None,
            saw_mistake: Cell::new(false),
        }
    }

    /// Refuses file access during an assumption.
    fn may_read(&self) -> Result<(), ScopeError> {
        match self.assuming {
            None => Ok(()),
            Some(_) => Err(ScopeError::Message("an assumed value reads no file".to_owned())),
        }
    }

    /// Adds the fields that `self` refers to.
    pub(super) fn with_self(self, fields: SelfFields<'a>) -> Self {
        Self { self_fields: Some(fields), ..self }
    }

    /// Adds a source of known or assumed values of lookups.
    pub(super) fn with_lookups(self, lookups: Lookups<'a>) -> Self {
        Self { lookups: Some(lookups), ..self }
    }

    /// Counts the evaluation of an assumption against its own budget, and refuses file access.
    pub(super) fn assuming(self, budget: Option<&'a WorkBudget>) -> Self {
        Self { assuming: budget, ..self }
    }

    /// Returns the value of a parameter or local, or its assumed value if only a run knows it.
    fn or_assumed(&self, param: &DeclaredParam, value: &'a Value) -> Cow<'a, Value> {
        let lookups = self.lookups.filter(|_| value.find_unknown().is_some());
        lookups.and_then(|lookups| lookups(param.id.as_str())).map_or(Cow::Borrowed(value), Cow::Owned)
    }

    fn mistake(&self, name: &str) -> Value {
        self.saw_mistake.set(true);
        Value::unknown(format!("param.{name}"))
    }
}

impl Scope for ConstantScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        self.borrow_param(name).map(Cow::into_owned)
    }

    fn borrow_param(&self, name: &str) -> Result<Cow<'_, Value>, ScopeError> {
        let Some(param) = self.constants.param(self.scope, name) else {
            return match self.names {
                UnknownNames::Ignore => Ok(Cow::Owned(self.mistake(name))),
                UnknownNames::Report => {
                    let names = self.constants.params.get(&self.scope.module.id);
                    let names = names.into_iter().flat_map(IndexMap::keys).filter(|name| !name.contains('/'));
                    Err(ScopeError::not_found("parameter", name, names.map(|name| &**name)))
                }
            };
        };
        match self.constants.result(param, self.sources) {
            Some(ConstantResult::Value(value)) => Ok(self.or_assumed(param, value)),
            Some(ConstantResult::Wrong(_)) | None => Ok(Cow::Owned(self.mistake(name))),
        }
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.borrow_traversal(path).map(Cow::into_owned)
    }

    fn borrow_traversal(&self, path: &str) -> Result<Cow<'_, Value>, ScopeError> {
        let Some(local) = self.constants.local(self.scope, path) else {
            let value = self.lookups.and_then(|lookups| lookups(path));
            return Ok(Cow::Owned(value.unwrap_or_else(|| Value::unknown(path))));
        };
        Ok(match self.constants.result(local, self.sources) {
            Some(ConstantResult::Value(value)) => self.or_assumed(local, value),
            Some(ConstantResult::Wrong(_)) | None => {
                self.saw_mistake.set(true);
                Cow::Owned(Value::unknown(path))
            }
        })
    }

    fn env(&self, _: &str) -> String {
        String::new()
    }

    fn platform(&self) -> &Platform {
        &self.constants.unknown_platform
    }

    fn machine(&self) -> Result<(), Unknown> {
        Err(Unknown { waits_for: "the machine".into() })
    }

    fn this(&self, field: &str) -> Result<Value, ScopeError> {
        match self.self_fields {
            Some(fields) => fields(field),
            None => Err(ScopeError::Message(format!("`self.{field}` is only known inside of a resource"))),
        }
    }

    fn each(&self) -> Option<&Each> {
        self.scope.each.known()
    }

    fn each_later(&self) -> Option<Unknown> {
        (self.scope.each == EachIs::KnownInRun).then(|| Unknown { waits_for: "`for_each`".into() })
    }

    fn hide(&self, secret: &Value) {
        self.sources.redactor().hide_value(secret);
    }

    fn budget(&self) -> Option<&WorkBudget> {
        Some(self.assuming.unwrap_or(&self.constants.budget))
    }

    fn functions(&self) -> &ModuleFunctions {
        &self.constants.functions
    }

    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        converge_source::base_path(&self.scope.module, base)
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        self.may_read()?;
        self.constants.read(&self.scope.module, path)
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        self.may_read()?;
        let Constants { looks, budget, .. } = self.constants;
        looks.exists(&self.scope.module, path, budget)
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        self.may_read()?;
        let Constants { looks, budget, .. } = self.constants;
        looks.list(&self.scope.module, folder, budget)
    }
}
