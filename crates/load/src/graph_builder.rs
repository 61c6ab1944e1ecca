//! Construction of graphs in Rust, without HCL.

use std::sync::Arc;
use std::time::Duration;

use super::check::Checker;
use super::expand;
use super::final_checks::complete;
use super::link::link;
use super::load_result::{LoadError, Loaded};
use crate::analysis::constants::Constants;
use crate::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use crate::footprint::AutomaticEdges;
use crate::graph::{Environment, Graph, Input, InputKind, LexicalScope, Retry, Tag};
use crate::language::template::Template;
use crate::language::{WorkBudget, WorkLimits};
use crate::model::declaration::{
    BlockArguments, Completeness, Constant, Declaration, ResourceDeclaration, WrittenField,
};
use crate::model::problems::Problems;
use crate::model::purpose::Purpose;
use crate::model::spanned_text::Spanned;
use crate::sdk::app_state::AppState;
use crate::sdk::registry::Registry;
use crate::types::type_table::TypeTable;
use converge_graph::app_state::missing_state;
use converge_value::types::function::ModuleFunctions;
use converge_value::types::value::Value;

/// A builder of graphs in Rust.
///
/// The graph gets the same checks as a module, and the same engine runs it.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::GraphBuilder;
///
/// let registry = Registry::new();
/// let graph = GraphBuilder::new(&registry)
///     .resource("param", "who", |param| param.set("default", "you"))
///     .build()?;
/// assert_eq!(graph.len(), 1);
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
#[derive(Debug)]
pub struct GraphBuilder<'a> {
    types: TypeTable<'a>,
    declarations: Vec<ResourceDeclaration>,
    diagnostics: Diagnostics,
    automatic: AutomaticEdges,
    app_state: Option<AppState>,
}

impl<'a> GraphBuilder<'a> {
    /// Creates a builder of an empty graph.
    pub fn new(registry: &'a Registry) -> Self {
        Self {
            types: TypeTable::new(registry),
            declarations: Vec::new(),
            diagnostics: Diagnostics::new(),
            automatic: AutomaticEdges::default(),
            app_state: None,
        }
    }

    /// Sets how edges are derived from what resources manage and need.
    ///
    /// See [`Loader::with_automatic_edges`](super::Loader::with_automatic_edges).
    pub fn automatic_edges(mut self, automatic: AutomaticEdges) -> Self {
        self.automatic = automatic;
        self
    }

    /// Sets the application state that the engine will have.
    ///
    /// See [`Loader::with_app_state`](super::Loader::with_app_state).
    pub fn with_app_state(mut self, state: AppState) -> Self {
        self.app_state = Some(state);
        self
    }

    /// Declares a resource of type `kind`.
    pub fn resource(
        mut self,
        kind: &str,
        name: &str,
        fill: impl FnOnce(ResourceBuilder) -> ResourceBuilder,
    ) -> Self {
        let declaration = ResourceDeclaration {
            kind: Spanned::from_code(kind),
            name: Spanned::from_code(name),
            fields: Vec::new(),
            arguments: BlockArguments::default(),
            completeness: Completeness::Complete,
        };
        let filled = fill(ResourceBuilder {
            declaration,
            functions: self.types.functions().clone(),
            diagnostics: Diagnostics::new(),
        });
        self.declarations.push(filled.declaration);
        self.diagnostics.extend(filled.diagnostics);
        self
    }

    /// Checks the resources and builds the graph.
    ///
    /// # Errors
    ///
    /// Fails with all diagnostics if any is an error. The diagnostics name resources and fields, and have no
    /// source positions.
    pub fn build(self) -> Result<Arc<Graph>, LoadError> {
        let Self { types, declarations, diagnostics, automatic, app_state } = self;
        let mut problems = Problems { diagnostics, ..Problems::default() };
        let (sources, scope) = (SourceMap::new(), LexicalScope::root());
        let mut checker =
            Checker { types: &types, sources: &sources, scope: &scope, problems: &mut problems };
        let items = declarations.into_iter().map(Declaration::Resource);
        let items = items.filter_map(|item| checker.declaration(item)).collect();
        let items = checker.unique(items);
        let mut constants = Constants::new(Purpose::Run, Arc::new(WorkBudget::new(WorkLimits::default())))
            .with_functions(types.functions());
        let (drafts, sources) = expand::resources(&types, items, &mut constants, &mut problems);
        let mut graph = link(drafts, Arc::new(sources), &constants, &mut problems);
        graph.functions = types.functions().clone();
        let mut diagnostics = problems.diagnostics;
        diagnostics.extend(app_state.iter().flat_map(|state| missing_state(&graph, state)));
        complete(&mut graph, &constants, automatic, &mut diagnostics);
        let sources = Arc::clone(graph.sources());
        Loaded::new(graph, diagnostics, sources).into_graph()
    }
}

/// A builder of one resource of a [`GraphBuilder`].
#[derive(Debug)]
pub struct ResourceBuilder {
    declaration: ResourceDeclaration,
    functions: ModuleFunctions,
    diagnostics: Diagnostics,
}

impl ResourceBuilder {
    /// Sets a field to a value. Text is literal, even if it contains `{{`.
    pub fn set(self, field: &str, value: impl Into<Value>) -> Self {
        self.field(field, InputKind::Value(value.into()))
    }

    /// Sets a field to an export of another resource: `task.query.host.status.stdout`.
    pub fn lookup(self, field: &str, path: &str) -> Self {
        self.field(field, InputKind::Lookup(path.into()))
    }

    /// Sets a field to a template. [`build`](GraphBuilder::build) reports a template that cannot be parsed.
    pub fn template(mut self, field: &str, text: &str) -> Self {
        match Template::parse_with(text, &self.functions) {
            Ok(template) => self.field(field, InputKind::Template(Box::new(template))),
            Err(error) => {
                let ResourceDeclaration { kind, name, .. } = &self.declaration;
                let message = format!("{}.{}.{field}: {error}", kind.text, name.text);
                self.diagnostics.push(Diagnostic::error("template", message));
                self
            }
        }
    }

    /// Adds a dependency on another resource: `task.build`.
    pub fn depends_on(mut self, name: &str) -> Self {
        self.declaration.arguments.dependencies.depends.push(Spanned::from_code(name));
        self
    }

    /// Sets a lock that is held during the apply; resources with the same lock run one at a time.
    pub fn group(mut self, name: &str) -> Self {
        self.declaration.arguments.group = Some(Spanned::from_code(name));
        self
    }

    /// Refreshes the resource when another one was changed: `file.content.conf`.
    ///
    /// The type must [support refreshes](converge_sdk::ResourceType::refreshes).
    pub fn on_change_of(mut self, name: &str) -> Self {
        self.declaration.arguments.dependencies.on_change_of.push(Spanned::from_code(name));
        self
    }

    /// Adds a tag by which a run may select the resource.
    pub fn tag(mut self, tag: Tag) -> Self {
        let tags = &mut self.declaration.arguments.lifecycle.tags;
        *tags = Some(tags.iter().flat_map(|tags| tags.iter()).cloned().chain([tag]).collect());
        self
    }

    /// Sets whether the resource is handled.
    pub fn when(mut self, value: bool) -> Self {
        self.declaration.arguments.lifecycle.when = Some(Box::new(Input::value(value)));
        self
    }

    /// Lets a run succeed even if this resource fails.
    pub fn optional(mut self) -> Self {
        self.declaration.arguments.lifecycle.optional = Some(Constant::Value(true));
        self
    }

    /// Sets environment variables for the programs that the resource starts.
    pub fn environment(mut self, environment: Environment) -> Self {
        self.declaration.arguments.lifecycle.environment = Some(Constant::Value(Box::new(environment)));
        self
    }

    /// Waits for another resource, and continues even if that fails.
    pub fn even_after(mut self, name: &str) -> Self {
        self.declaration.arguments.dependencies.even_after.push(Spanned::from_code(name));
        self
    }

    /// Limits the time of all work on the resource, or of one attempt with [`retry`](Self::retry).
    ///
    /// The resource fails when the time is exceeded.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.declaration.arguments.lifecycle.timeout = Some(Constant::Value(timeout));
        self
    }

    /// Retries the work on the resource when it fails.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.declaration.arguments.lifecycle.retry = Some(Constant::Value(Box::new(retry)));
        self
    }

    fn field(mut self, name: &str, kind: InputKind) -> Self {
        let input = Input { kind, span: None };
        self.declaration.fields.push(WrittenField { name: Spanned::from_code(name), input, is_block: false });
        self
    }
}
