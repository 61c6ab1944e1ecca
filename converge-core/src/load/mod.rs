//! From a module's text, or from Rust, to a graph.
//!
//! ```text
//! text --syntax--> tree --hcl--> declarations --check--> nodes --link--> Graph
//!                  GraphBuilder ------^                       (+ Diagnostics at every step)
//! ```
//!
//! Loading never stops at the first mistake: it gives the graph of what could be understood and every
//! diagnostic, so that `validate`, `graph` and an editor work on a broken file.

mod builder;
mod check;
mod declaration;
mod error;
mod given;
mod hcl;
mod link;
mod lost;
mod lower;
pub(crate) mod param;
mod source;
mod statics;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use self::error::LoadError;
use self::lost::Lost;
use self::statics::Statics;
use crate::graph::{Graph, Module, Node, NodeId, ParamOrigin, Site};
use crate::registry::Registry;
use crate::report::{Diagnostics, SourceMap};
use crate::syntax;
use crate::value::Value;

pub use builder::{GraphBuilder, ResourceBuilder};
pub use given::{GivenParam, GivenParams};
pub(crate) use lower::{expression_diagnostic, input_span, template_diagnostic};
pub(crate) use source::identity as module_identity;
#[cfg(feature = "http")]
pub use source::{Cached, ContentHash, Http, HttpError, Proxies, UrlError};
pub use source::{FileUrlError, Folder, Source, SourceError, Sources, read_text};

/// What loading gives.
#[derive(Debug)]
pub struct Loaded {
    /// What could be understood. It may only be run when there are no errors.
    pub graph: Graph,
    /// Everything that is wrong, sorted by place.
    pub diagnostics: Diagnostics,
    /// The files that the spans point into.
    pub sources: Arc<SourceMap>,
}

impl Loaded {
    /// The graph when it can be run.
    ///
    /// # Errors
    ///
    /// The diagnostics when there is an error among them.
    pub fn into_graph(self) -> Result<Arc<Graph>, Diagnostics> {
        if self.diagnostics.has_errors() { Err(self.diagnostics) } else { Ok(Arc::new(self.graph)) }
    }
}

/// Loads modules with the resource types of a registry.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
///
/// let registry = Registry::new();
/// let loaded = Loader::new(&registry).load_text("hello.hcl", r#"param "who" { default = "you" }"#);
/// assert!(loaded.diagnostics.is_empty());
/// assert_eq!(loaded.graph.len(), 1);
/// ```
#[derive(Debug)]
pub struct Loader<'a> {
    registry: &'a Registry,
    params: IndexMap<Arc<str>, GivenParam>,
    purpose: Purpose,
    sources: Sources,
}

/// What a module is loaded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To be run, so every parameter needs a value.
    Run,
    /// To be looked at.
    Inspect,
}

impl<'a> Loader<'a> {
    /// A loader with no parameters.
    pub fn new(registry: &'a Registry) -> Self {
        Self { registry, params: IndexMap::new(), purpose: Purpose::Run, sources: Sources::new() }
    }

    /// Gives a parameter of the module a value. A later value for the same name wins.
    pub fn with_param(self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Self {
        self.with_given(GivenParam::new(name, value, ParamOrigin::Code))
    }

    /// Gives a parameter of the module a value, and says where that comes from. A later value for the same name
    /// wins.
    ///
    /// Text from the command line or the environment is read as JSON for a parameter whose type is a list or a
    /// map; an environment variable for a parameter that the module does not have is no mistake.
    ///
    /// ```
    /// use converge_core::Registry;
    /// use converge_core::graph::ParamOrigin;
    /// use converge_core::load::{GivenParam, Loader};
    ///
    /// let registry = Registry::new();
    /// let ports = GivenParam::new("ports", "[80, 443]", ParamOrigin::CommandLine);
    /// let module = r#"param "ports" { type = "list(number)" }"#;
    /// assert!(Loader::new(&registry).with_given(ports).load_text("web.hcl", module).into_graph().is_ok());
    /// ```
    pub fn with_given(mut self, param: GivenParam) -> Self {
        self.params.insert(Arc::clone(&param.name), param);
        self
    }

    /// Loads modules to look at them rather than to run them: that a parameter has no value is then no
    /// mistake.
    pub fn for_inspection(mut self) -> Self {
        self.purpose = Purpose::Inspect;
        self
    }

    /// Says how modules are found and read. Without it, they are files.
    pub fn with_sources(mut self, sources: Sources) -> Self {
        self.sources = sources;
        self
    }

    /// Loads the module of a path, or of any URL that the [`Sources`] know.
    pub fn load(&self, source: &str) -> Loaded {
        self.load_source(self.sources.resolve(None, source))
    }

    /// Loads a module file.
    pub fn load_file(&self, path: &Path) -> Loaded {
        self.load_source(Ok(Source::file(path)))
    }

    /// Loads a module from text. `name` is what messages call it.
    pub fn load_text(&self, name: &str, text: impl Into<Arc<str>>) -> Loaded {
        self.load_root(name, None, &text.into())
    }

    fn load_source(&self, source: Result<Source, SourceError>) -> Loaded {
        let read = source.and_then(|source| Ok((self.sources.read(&source)?, source)));
        match read {
            Ok((text, source)) => self.load_root(source.name(), source.directory(), &text),
            Err(error) => {
                let mut diagnostics = Diagnostics::new();
                diagnostics.push(error.into());
                Loaded { graph: Graph::default(), diagnostics, sources: Arc::default() }
            }
        }
    }

    fn load_root(&self, name: &str, directory: Option<&Path>, text: &Arc<str>) -> Loaded {
        let mut sources = SourceMap::new();
        let file = sources.add(name, Arc::clone(text));
        let sources = Arc::new(sources);
        let (body, mut diagnostics) = syntax::parse(file, text);
        let lower = lower::Lower { file, text: Arc::clone(text), sources: Arc::clone(&sources) };
        let mut lost = Lost::default();
        if !diagnostics.is_empty() {
            lost.add_text(text);
        }
        let directory = directory.map(Path::to_owned);
        let module = Module { id: NodeId::root(), source: name.into(), directory, call: None };
        let site = Arc::new(Site { container: NodeId::root(), module: Arc::new(module), each: None });
        let declarations = hcl::declarations(body, &site, self.registry, &lower, &mut lost, &mut diagnostics);
        let mut nodes: Vec<_> = declarations
            .into_iter()
            .filter_map(|declaration| {
                check::node(declaration, self.registry, &sources, &mut lost, &mut diagnostics)
            })
            .collect();
        self.set_params(name, nodes.iter_mut().map(|checked| &mut checked.node), &mut diagnostics);
        let mut statics = Statics::new(self.purpose);
        nodes.iter().for_each(|checked| statics.declare(&checked.node));
        let graph = link::link(nodes, Arc::clone(&sources), &lost, &mut diagnostics);
        statics::check(&statics, &graph, &mut diagnostics);
        diagnostics.sort();
        tracing::info!(module = name, resources = graph.len(), problems = diagnostics.len(), "loaded");
        Loaded { graph, diagnostics, sources }
    }

    /// Puts the values from outside in the place of defaults.
    fn set_params<'n>(
        &self,
        module: &str,
        nodes: impl Iterator<Item = &'n mut Node>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut known = IndexSet::new();
        for node in nodes {
            let Some(name) = node.id.name().strip_prefix("param.").map(str::to_owned) else { continue };
            if let Some(given) = self.params.get(&*name) {
                diagnostics.extend(param::give(node, given).err());
            } else if self.purpose == Purpose::Run && !param::has_value(node) {
                let error =
                    LoadError::MissingParam { name: name.clone(), module: module.into(), span: node.span };
                diagnostics.push(error.into());
            }
            known.insert(name);
        }
        for GivenParam { name, origin, .. } in self.params.values() {
            if known.contains(&**name) || matches!(origin, ParamOrigin::Environment { .. }) {
                continue;
            }
            let error = LoadError::UnexpectedParam {
                name: name.to_string(),
                module: module.to_owned(),
                known: known.iter().cloned().collect(),
            };
            diagnostics.push(error.into());
        }
    }
}
