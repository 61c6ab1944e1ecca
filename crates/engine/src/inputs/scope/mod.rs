//! The scope in which templates and expressions of one node are evaluated.

mod exports;
mod suggestions;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use self::exports::Dependencies;
use crate::evaluate::Evaluator;
use crate::graph::{Module, Node, NodeId, NodeIndex, OUTPUT, ResolvedPath, Role, Targets};
use crate::language::template::{Scope, ScopeError, Template};
use crate::language::{BasePath, WorkBudget};
use crate::sdk::error::Result;
use crate::sdk::resource::Renderer;
use crate::tables::node_flags::VARIES;
use crate::tables::run_tables::Shared;
use crate::types::budget::is_larger;
use crate::types::folder_entry::FolderEntry;
use crate::types::function::ModuleFunctions;
use crate::types::platform::Platform;
use crate::types::scope::{Each, Whole};
use crate::types::value::{Unknown, Value};
use converge_source::{ModuleText, base_path, list_folder};

/// The size in bytes from which work on a value is moved off the async workers.
pub(crate) const LARGE: u64 = 64 << 10;

/// The scope of one node.
///
/// It contains the parameters of the module, the fields of the node, and the exports of its dependencies.
pub(crate) struct NodeScope<'a> {
    dependencies: Dependencies<'a>,
    /// The limit of an evaluation on an async worker, which is less than the budget of the run.
    trial_budget: Option<&'a WorkBudget>,
    /// The values of fields read by other fields of the node, by index. Each is evaluated once.
    ///
    /// Errors are not kept, because they fail the node. The slice is created on first use.
    fields: OnceLock<Box<[OnceLock<Value>]>>,
    /// The scope and the field that requested the field of this scope, if any.
    asked_by: Option<(&'a NodeScope<'a>, usize)>,
}

impl<'a> NodeScope<'a> {
    pub(crate) fn new(shared: &'a Shared, index: NodeIndex) -> Self {
        let dependencies = Dependencies { shared, index, node: shared.graph.node(index) };
        Self { dependencies, trial_budget: None, fields: OnceLock::new(), asked_by: None }
    }

    /// Returns the scope of an instance node created from the node of this scope.
    pub(crate) fn for_instance<'n>(&'n self, node: &'n Node) -> NodeScope<'n> {
        let dependencies = Dependencies { node, ..self.dependencies };
        NodeScope { dependencies, trial_budget: self.trial_budget, fields: OnceLock::new(), asked_by: None }
    }

    /// Limits the work in this scope. If the limit is exhausted, the results are meaningless.
    pub(super) fn with_trial_budget(self, taste: &'a WorkBudget) -> Self {
        Self { trial_budget: Some(taste), ..self }
    }

    /// Returns the tables of the run.
    pub(crate) fn shared(&self) -> &'a Shared {
        self.dependencies.shared
    }

    /// Returns the node.
    pub(crate) fn index(&self) -> NodeIndex {
        self.dependencies.index
    }

    /// Whether work on a value has to be moved to the blocking pool.
    pub(super) fn defers(&self, value: &Value) -> bool {
        self.trial_budget.is_some() && is_larger(value, LARGE) && self.defers_much()
    }

    /// Whether large work has to be moved to the blocking pool. Exhausts the trial budget if so.
    pub(crate) fn defers_much(&self) -> bool {
        self.trial_budget.inspect(|taste| taste.exhaust()).is_some()
    }

    /// Whether file access has to be moved to the blocking pool, where it is counted too.
    ///
    /// A file may be large and its disk slow.
    fn leaves_files(&self) -> bool {
        self.trial_budget.inspect(|taste| taste.exhaust()).is_some()
    }

    /// Returns the module that declares the node.
    fn module(&self) -> &'a Module {
        &self.dependencies.node.scope.module
    }

    /// Takes note that the node depends on the machine or on a function of the program.
    fn mark_varying(&self) {
        self.shared().flags.add(self.index(), VARIES);
    }

    fn find(&self, path: &str, completeness: Whole) -> Result<Cow<'a, Value>, ScopeError> {
        let Dependencies { shared, node, .. } = self.dependencies;
        let Some(ResolvedPath { targets, field }) = shared.graph.resolve(&node.scope.container, path) else {
            return Err(suggestions::no_resource(&shared.graph, &node.scope.container, path));
        };
        let target = match targets {
            Targets::One(target) => target,
            Targets::Cases(nodes) => self.dependencies.taken(nodes, path)?,
        };
        let is_made = field.is_empty() && shared.graph.node(target).role.is_structure();
        if let Some(taste) = self.trial_budget.filter(|_| is_made) {
            // The target is a whole module or `for_each`, which may be large.
            taste.exhaust();
            return Ok(Cow::Owned(Value::Null));
        }
        self.dependencies.export(target, path, &field, completeness)
    }

    /// Returns an owned value, or null if the copy has to be moved to the blocking pool.
    fn copy(&self, value: Cow<'_, Value>) -> Value {
        if self.defers(&value) { Value::Null } else { value.into_owned() }
    }

    /// Whether `field` directly or indirectly requested the field of this scope.
    fn is_asked_by(&self, field: usize) -> bool {
        self.asked_by.is_some_and(|(by, asked)| asked == field || by.is_asked_by(field))
    }

    fn field_slot(&self, index: usize, len: usize) -> Option<&OnceLock<Value>> {
        match self.asked_by {
            Some((by, _)) => by.field_slot(index, len),
            None => self.fields.get_or_init(|| (0..len).map(|_| OnceLock::new()).collect()).get(index),
        }
    }

    fn evaluate_field(&self, index: usize, name: &str) -> Result<Value, ScopeError> {
        let Dependencies { shared, node, .. } = self.dependencies;
        let Some(field) = node.resource.schema().fields.get(index) else { return Ok(Value::Null) };
        let Some(attribute) = node.attributes.iter().find(|attribute| attribute.field == index) else {
            return Ok(field.default.clone().unwrap_or_default());
        };
        let (dependencies, taste) = (self.dependencies, self.trial_budget);
        let scope = NodeScope {
            dependencies,
            trial_budget: taste,
            fields: OnceLock::new(),
            asked_by: Some((self, index)),
        };
        let mut evaluator = Evaluator::new(&scope, shared.graph.sources(), node.span);
        let value = evaluator.input(&attribute.input, &field.kind);
        match (value, evaluator.into_diagnostics().into_iter().next()) {
            (Some(value), None) => Ok(if field.sensitive { value.into_secret() } else { value }),
            (_, Some(error)) => Err(ScopeError::Message(format!("`self.{name}`: {}", error.message))),
            (None, None) => Ok(Value::Null),
        }
    }
}

impl Scope for NodeScope<'_> {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        self.borrow_param(name).map(|value| self.copy(value))
    }

    fn borrow_param(&self, name: &str) -> Result<Cow<'_, Value>, ScopeError> {
        let Dependencies { shared, index: this, node } = self.dependencies;
        let module = &node.scope.module.id;
        match shared.graph.find(&module.param(name)) {
            // In the rules of a parameter, its own name refers to its value.
            Some(index) if index == this => self.this("default").map(Cow::Owned),
            Some(index) => self.dependencies.export(index, name, &["val"], Whole::Refused),
            None => Err(suggestions::no_value(&shared.graph, module, "param", name)),
        }
    }

    fn borrow_traversal(&self, path: &str) -> Result<Cow<'_, Value>, ScopeError> {
        self.find(path, Whole::Allowed)
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        self.find(path, Whole::Refused).map(|value| self.copy(value))
    }

    fn traverse(&self, path: &str) -> Result<Value, ScopeError> {
        self.find(path, Whole::Allowed).map(|value| self.copy(value))
    }

    fn has_parts(&self, path: &str) -> bool {
        let Dependencies { shared, node, .. } = self.dependencies;
        let Some(ResolvedPath { targets, field }) = shared.graph.resolve(&node.scope.container, path) else {
            return false;
        };
        targets.as_slice().iter().any(|target| match (shared.graph.node(*target).role, field.as_slice()) {
            (Role::ForEach | Role::Module, []) => true,
            (Role::Module, [name]) => *name == OUTPUT,
            _ => false,
        })
    }

    fn env(&self, name: &str) -> String {
        if !self.module().visible.shows_env(name) {
            return String::new();
        }
        self.dependencies.shared.system().env(name).unwrap_or_default()
    }

    fn platform(&self) -> &Platform {
        self.mark_varying();
        if self.module().visible.shows_platform() {
            self.dependencies.shared.system().platform()
        } else {
            Platform::NONE
        }
    }

    fn blocks(&self) -> Result<(), Unknown> {
        self.mark_varying();
        match self.trial_budget {
            None => Ok(()),
            Some(taste) => {
                taste.exhaust();
                Err(Unknown { waits_for: "a thread that may wait".into() })
            }
        }
    }

    fn this(&self, name: &str) -> Result<Value, ScopeError> {
        let schema = self.dependencies.node.resource.schema();
        let Some((index, _)) = schema.field(name) else {
            return Err(ScopeError::not_found("field", name, schema.fields.iter().map(|field| field.name)));
        };
        // The loader refuses cycles, but a computed name can still create one.
        if self.is_asked_by(index) {
            return Err(ScopeError::Message(format!("`self.{name}` depends on itself")));
        }
        let Some(slot) = self.field_slot(index, schema.fields.len()) else { return Ok(Value::Null) };
        if let Some(value) = slot.get() {
            return Ok(value.clone());
        }
        let value = self.evaluate_field(index, name)?;
        Ok(slot.get_or_init(|| value).clone())
    }

    fn budget(&self) -> Option<&WorkBudget> {
        Some(self.trial_budget.unwrap_or(&self.dependencies.shared.setup.budget))
    }

    fn functions(&self) -> &ModuleFunctions {
        &self.dependencies.shared.graph.functions
    }

    fn each(&self) -> Option<&Each> {
        self.dependencies.node.scope.each.known()
    }

    fn hide(&self, secret: &Value) {
        if !self.defers(secret) {
            self.dependencies.shared.redactor().hide_value(secret);
        }
    }

    fn path(&self, base: BasePath) -> Result<Value, ScopeError> {
        base_path(self.module(), base)
    }

    fn read(&self, path: &str) -> Result<Arc<str>, ScopeError> {
        if self.leaves_files() {
            return Ok(Arc::default());
        }
        ModuleText::new(self.module(), path)?.read(&self.dependencies.shared.setup.budget)
    }

    fn exists(&self, path: &str) -> Result<bool, ScopeError> {
        if self.leaves_files() {
            return Ok(false);
        }
        ModuleText::new(self.module(), path)?.exists(&self.dependencies.shared.setup.budget)
    }

    fn list(&self, folder: &str) -> Result<Arc<[FolderEntry]>, ScopeError> {
        if self.leaves_files() {
            return Ok(Arc::default());
        }
        list_folder(self.module(), folder, &self.dependencies.shared.setup.budget)
    }
}

impl Renderer for NodeScope<'_> {
    fn id(&self) -> &NodeId {
        &self.dependencies.node.id
    }

    fn render(&self, name: &str, template: &str) -> Result<Value> {
        let rendered =
            Template::parse_with(template, self.functions()).and_then(|template| template.render(self));
        rendered.map_err(|error| crate::sdk::error::Error::other(error).context(name))
    }
}
