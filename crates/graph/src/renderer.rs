//! Rendering of templates and evaluation of expressions outside of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::SourceMap;
use crate::language::expression::Expression;
use crate::language::template::{Scope, ScopeError, Template};
use crate::sdk::error::{Error, Result};
use crate::sdk::resource::Renderer;
use crate::syntax::{self, Item};
use crate::types::budget::WorkBudget;
use crate::types::function::ModuleFunctions;
use crate::types::id::NodeId;
use crate::types::limits::WorkLimits;
use crate::types::platform::Platform;
use crate::types::value::Value;

/// A renderer of templates and expressions with values that the program provides.
///
/// It needs no module, graph or run, and so works in tests, too. A value that is not provided is an error.
/// Unknown and secret values make the results that depend on them unknown or secret.
///
/// ```
/// use converge_core::language::{ValueRenderer, WorkLimits};
/// use converge_core::value::{ModuleFunction, Value};
/// use converge_core::{Registry, Renderer};
///
/// let shout = ModuleFunction::pure("shout", "The same, louder.", |text: String| text.to_uppercase() + "!");
/// let registry = Registry::builder().with_function(shout).build()?;
/// let renderer = ValueRenderer::new()
///     .with_param("name", "world")
///     .with_lookup("task.query.host.status.stdout", Value::unknown("task.query.host"))
///     .with_functions(registry.functions());
///
/// assert_eq!(renderer.render("text", "hello {{param `name` | shout}}")?, Value::from("hello WORLD!"));
/// assert_eq!(renderer.evaluate("size", "length(param.name) + 1")?, Value::from(6));
/// assert_eq!(renderer.evaluate("host", "upper(task.query.host.status.stdout)")?, Value::unknown("task.query.host"));
/// let mistake = renderer.evaluate("size", "param.nmae").unwrap_err().to_string();
/// assert_eq!(mistake, "size: there is no parameter `nmae`; did you mean `name`?");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ValueRenderer {
    id: NodeId,
    params: BTreeMap<String, Value>,
    lookups: BTreeMap<String, Value>,
    env: BTreeMap<String, String>,
    platform: Platform,
    functions: ModuleFunctions,
    budget: Option<Arc<WorkBudget>>,
}

impl ValueRenderer {
    /// Creates a renderer without values, for the resource `root/test.it` on Linux.
    pub fn new() -> Self {
        Self {
            id: NodeId::root().child("test.it"),
            params: BTreeMap::new(),
            lookups: BTreeMap::new(),
            env: BTreeMap::new(),
            platform: Platform::new("linux"),
            functions: ModuleFunctions::default(),
            budget: None,
        }
    }

    /// Sets the ID of the resource that values are rendered for.
    pub fn with_id(self, id: NodeId) -> Self {
        Self { id, ..self }
    }

    /// Adds a parameter.
    pub fn with_param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }

    /// Adds an exported value of another resource, by its path: `file.content.index.destination`.
    pub fn with_lookup(mut self, path: impl Into<String>, value: impl Into<Value>) -> Self {
        self.lookups.insert(path.into(), value.into());
        self
    }

    /// Adds an environment variable; the environment of the process is not visible.
    pub fn with_env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Sets the platform, for example that of a system.
    pub fn with_platform(mut self, platform: Platform) -> Self {
        self.platform = platform;
        self
    }

    /// Adds the functions of a registry.
    pub fn with_functions(mut self, functions: &ModuleFunctions) -> Self {
        self.functions = functions.clone();
        self
    }

    /// Limits the total work of this renderer and its clones.
    ///
    /// Without this limit, only each single text is limited.
    pub fn with_limits(mut self, limits: WorkLimits) -> Self {
        self.budget = Some(Arc::new(WorkBudget::new(limits)));
        self
    }

    /// Evaluates an expression written as in a module, without quotes; errors show `name`.
    ///
    /// # Errors
    ///
    /// Fails if the expression is invalid, or has no value.
    pub fn evaluate(&self, name: &str, expression: &str) -> Result<Value> {
        let text = format!("value = {expression}\n");
        let (body, mistakes) = syntax::parse(SourceMap::new().add(name, &*text), &text);
        if let Some(mistake) = mistakes.into_iter().next() {
            return Err(Error::msg(mistake.message).context(name));
        }
        let Ok([Item::Attribute(attribute)]) = <[Item; 1]>::try_from(body.items) else {
            return Err(Error::msg("this is not a single expression").context(name));
        };
        let lowered = Expression::lower(attribute.value, &text, self.budget(), &self.functions);
        let lowered = lowered.map_err(|mistakes| {
            Error::Message(mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
        });
        let value = lowered.and_then(|expression| expression.evaluate(self).map_err(Error::other));
        value.map_err(|error| error.context(name))
    }
}

impl Default for ValueRenderer {
    fn default() -> Self {
        Self::new()
    }
}

impl Renderer for ValueRenderer {
    fn id(&self) -> &NodeId {
        &self.id
    }

    fn render(&self, name: &str, template: &str) -> Result<Value> {
        if Template::is_literal(template) {
            return Ok(Value::string(template));
        }
        let parsed = Template::parse_with(template, &self.functions);
        let rendered = parsed.and_then(|template| template.render(self));
        rendered.map_err(|error| Error::other(error).context(name))
    }
}

fn find(values: &BTreeMap<String, Value>, kind: &'static str, name: &str) -> Result<Value, ScopeError> {
    let value = values.get(name).cloned();
    value.ok_or_else(|| ScopeError::not_found(kind, name, values.keys().map(String::as_str)))
}

impl Scope for ValueRenderer {
    fn param(&self, name: &str) -> Result<Value, ScopeError> {
        find(&self.params, "parameter", name)
    }

    fn lookup(&self, path: &str) -> Result<Value, ScopeError> {
        find(&self.lookups, "resource", path)
    }

    fn env(&self, name: &str) -> String {
        self.env.get(name).cloned().unwrap_or_default()
    }

    fn platform(&self) -> &Platform {
        &self.platform
    }

    fn functions(&self) -> &ModuleFunctions {
        &self.functions
    }

    fn budget(&self) -> Option<&WorkBudget> {
        self.budget.as_deref()
    }
}
