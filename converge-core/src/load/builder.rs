//! Graphs built in Rust, with no HCL.

use std::sync::Arc;
use std::time::Duration;

use super::Purpose;
use super::check::Checker;
use super::declaration::{Arguments, Declaration, Early, Form, Item, State, Word, WrittenField};
use super::expand;
use super::link;
use super::lost::Lost;
use super::statics::{self, Statics};
use crate::graph::{Graph, Input, InputKind, Retry, Site};
use crate::registry::Registry;
use crate::report::{Diagnostic, Diagnostics, SourceMap};
use crate::template::{Predicate, Template};
use crate::value::Value;

/// Builds a graph in Rust. It gets the same checks as a module, and the same engine runs it.
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
/// # Ok::<(), converge_core::report::Diagnostics>(())
/// ```
#[derive(Debug)]
pub struct GraphBuilder<'a> {
    registry: &'a Registry,
    declarations: Vec<Declaration>,
    diagnostics: Diagnostics,
}

impl<'a> GraphBuilder<'a> {
    /// An empty graph.
    pub fn new(registry: &'a Registry) -> Self {
        Self { registry, declarations: Vec::new(), diagnostics: Diagnostics::new() }
    }

    /// Declares a resource of type `kind`.
    pub fn resource(
        mut self,
        kind: &str,
        name: &str,
        fill: impl FnOnce(ResourceBuilder) -> ResourceBuilder,
    ) -> Self {
        let declaration = Declaration {
            kind: Word::from_code(kind),
            name: Word::from_code(name),
            fields: Vec::new(),
            arguments: Arguments::default(),
            state: State::Whole,
        };
        let filled = fill(ResourceBuilder { declaration, diagnostics: Diagnostics::new() });
        self.declarations.push(filled.declaration);
        self.diagnostics.extend(filled.diagnostics);
        self
    }

    /// The graph.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, when any of it is an error. The diagnostics name resources and
    /// fields; there are no places.
    pub fn build(self) -> Result<Arc<Graph>, Diagnostics> {
        let Self { registry, declarations, mut diagnostics } = self;
        let mut lost = Lost::default();
        let sources = SourceMap::new();
        let mut checker = Checker::new(registry, &sources, &Site::root(), &mut lost, &mut diagnostics);
        let items = declarations.into_iter().map(Item::Resource);
        let planned = items.filter_map(|item| checker.item(item)).collect();
        let planned = checker.unique(planned);
        let mut statics = Statics::new(Purpose::Run);
        let nodes = expand::resources(registry, &planned, &mut statics, &mut lost, &mut diagnostics);
        let graph = link::link(nodes, Arc::default(), &lost, &mut diagnostics);
        statics::check(&statics, &graph, &mut diagnostics);
        if diagnostics.has_errors() { Err(diagnostics) } else { Ok(Arc::new(graph)) }
    }
}

/// Fills one resource of a [`GraphBuilder`].
#[derive(Debug)]
pub struct ResourceBuilder {
    declaration: Declaration,
    diagnostics: Diagnostics,
}

impl ResourceBuilder {
    /// Gives a field a value. Text is taken as it is, whatever it holds.
    pub fn set(self, field: &str, value: impl Into<Value>) -> Self {
        self.field(field, InputKind::Value(value.into()))
    }

    /// Gives a field what another resource exports: `task.query.host.status.stdout`.
    pub fn lookup(self, field: &str, path: &str) -> Self {
        self.field(field, InputKind::Lookup(path.into()))
    }

    /// Gives a field a template. A template that cannot be parsed is reported by
    /// [`build`](GraphBuilder::build).
    pub fn template(mut self, field: &str, text: &str) -> Self {
        match Template::parse(text) {
            Ok(template) => self.field(field, InputKind::Template(Box::new(template))),
            Err(error) => {
                let Declaration { kind, name, .. } = &self.declaration;
                let message = format!("{}.{}.{field}: {error}", kind.text, name.text);
                self.diagnostics.push(Diagnostic::error("template", message));
                self
            }
        }
    }

    /// Waits for another resource: `task.build`.
    pub fn depends_on(mut self, name: &str) -> Self {
        self.declaration.arguments.depends.push(Word::from_code(name));
        self
    }

    /// Holds a lock while it is applied; of all resources with the same lock one runs at a time.
    pub fn group(mut self, name: &str) -> Self {
        self.declaration.arguments.group = Some(Word::from_code(name));
        self
    }

    /// Is refreshed when this other resource was changed: `file.content.conf`. The type has to be one that
    /// [can be](crate::registry::ResourceType::refreshes).
    pub fn on_change_of(mut self, name: &str) -> Self {
        self.declaration.arguments.on_change_of.push(Word::from_code(name));
        self
    }

    /// Is handled only when this is true: see also [`when_lookup`](Self::when_lookup)
    /// and [`when_predicate`](Self::when_predicate).
    pub fn when(mut self, value: bool) -> Self {
        self.declaration.arguments.when = Some(Input::value(value));
        self
    }

    /// Is handled only when what another resource exports is true.
    pub fn when_lookup(mut self, path: &str) -> Self {
        self.declaration.arguments.when = Some(Input { kind: InputKind::Lookup(path.into()), span: None });
        self
    }

    /// Is handled only when this predicate holds: `` eq platform.OS `linux` ``, as modules write it. One that
    /// cannot be parsed is reported by [`build`](GraphBuilder::build).
    pub fn when_predicate(mut self, text: &str) -> Self {
        match Predicate::parse(text) {
            Ok(predicate) => {
                let kind = InputKind::Predicate(Box::new(predicate));
                self.declaration.arguments.when = Some(Input { kind, span: None });
            }
            Err(error) => {
                let Declaration { kind, name, .. } = &self.declaration;
                let message = format!("{}.{}.when: {error}", kind.text, name.text);
                self.diagnostics.push(Diagnostic::error("template", message));
            }
        }
        self
    }

    /// Fails when all work on it takes longer; with [`retry`](Self::retry), when one attempt does.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.declaration.arguments.timeout = Some(Early::Known(timeout));
        self
    }

    /// Tries again when the work on it fails.
    pub fn retry(mut self, retry: Retry) -> Self {
        self.declaration.arguments.retry = Some(Early::Known(retry));
        self
    }

    fn field(mut self, name: &str, kind: InputKind) -> Self {
        let input = Input { kind, span: None };
        self.declaration.fields.push(WrittenField {
            name: Word::from_code(name),
            input,
            form: Form::Attribute,
        });
        self
    }
}
