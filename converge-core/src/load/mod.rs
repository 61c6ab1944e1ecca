//! From a module's text, or from Rust, to a graph.
//!
//! ```text
//! text --syntax--> tree --hcl--> declarations --check--> blueprints --expand--> nodes --link--> Graph
//!                  GraphBuilder ------^                                (+ Diagnostics at every step)
//! ```
//!
//! Everything up to the blueprints is done once for a file; nodes are made for each use of it.
//!
//! Loading never stops at the first mistake: it gives the graph of what could be understood and every
//! diagnostic, so that `validate`, `graph` and an editor work on a broken file.

mod blueprint;
mod builder;
mod check;
mod declaration;
mod error;
mod expand;
mod files;
mod given;
mod hcl;
mod link;
mod lost;
mod lower;
mod meta_arguments;
pub(crate) mod param;
mod placed;
mod references;
mod source;
mod statics;
pub(crate) mod structure;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use indexmap::IndexMap;

use self::blueprint::ModuleFile;
use self::expand::{Expander, Outside};
use self::files::{Files, Origin};
use self::lost::Lost;
use self::statics::Statics;
use crate::graph::{Graph, ParamOrigin};
use crate::registry::Registry;
use crate::report::{Diagnostics, SourceMap};
use crate::value::Value;

pub use builder::{GraphBuilder, ResourceBuilder};
pub use given::{GivenParam, GivenParams};
pub(crate) use lower::{expression_diagnostic, input_span, template_diagnostic};
pub use meta_arguments::meta_arguments;
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

    /// Loads the module of a path, or of any URL that the [`Sources`] know, and the modules that it calls.
    pub fn load(&self, source: &str) -> Loaded {
        self.load_source(self.sources.resolve(None, source))
    }

    /// Loads a module file, and the modules that it calls.
    pub fn load_file(&self, path: &Path) -> Loaded {
        self.load_source(Ok(Source::file(path)))
    }

    /// Loads a module from text, and the modules that it calls. `name` is what messages call it; paths in it are
    /// relative to the working directory.
    pub fn load_text(&self, name: &str, text: impl Into<Arc<str>>) -> Loaded {
        let mut load = Load::new(self);
        let file =
            load.files.text(Origin::Text(name.into()), &text.into(), &mut load.lost, &mut load.diagnostics);
        load.root(file)
    }

    fn load_source(&self, source: Result<Source, SourceError>) -> Loaded {
        let mut load = Load::new(self);
        let file = source.and_then(|source| load.files.open(&source, &mut load.lost, &mut load.diagnostics));
        match file {
            Ok(file) => load.root(file),
            Err(error) => {
                let mut diagnostics = Diagnostics::new();
                diagnostics.push(error.into());
                Loaded { graph: Graph::default(), diagnostics, sources: Arc::default() }
            }
        }
    }
}

/// A load on its way.
struct Load<'a> {
    loader: &'a Loader<'a>,
    files: Files<'a>,
    lost: Lost,
    diagnostics: Diagnostics,
}

impl<'a> Load<'a> {
    fn new(loader: &'a Loader<'a>) -> Self {
        let files = Files::new(loader.registry, &loader.sources);
        Self { loader, files, lost: Lost::default(), diagnostics: Diagnostics::new() }
    }

    /// The graph of a module, and of all that it calls.
    fn root(self, file: Rc<ModuleFile>) -> Loaded {
        let Self { loader, files, mut lost, mut diagnostics } = self;
        let mut statics = Statics::new(loader.purpose);
        let outside = Outside::Root { params: &loader.params, purpose: loader.purpose };
        let expander = Expander::new(loader.registry, files, &mut statics, &mut lost, &mut diagnostics);
        let (placed, sources) = expander.root(&file, &outside);
        let name = Arc::clone(file.origin.name());
        // What follows takes about as much memory as what the files were read into.
        drop(file);
        let sources = Arc::new(sources);
        let graph = link::link(placed, Arc::clone(&sources), &lost, &mut diagnostics);
        statics::check(&statics, &graph, &mut diagnostics);
        diagnostics.sort();
        // What is wrong in a module that is called twice is one mistake.
        diagnostics.dedup();
        tracing::info!(module = &*name, resources = graph.len(), problems = diagnostics.len(), "loaded");
        Loaded { graph, diagnostics, sources }
    }
}
