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
mod hcl;
mod link;
mod lost;
mod lower;
pub(crate) mod param;
mod placed;
mod references;
mod source;
pub(crate) mod structure;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;

use self::blueprint::ModuleFile;
use self::expand::{Expander, Outside};
use self::files::Files;
use self::lost::Lost;
use self::source::Source;
use crate::graph::Graph;
use crate::registry::Registry;
use crate::report::{Diagnostics, SourceMap};
use crate::value::Value;

pub use builder::{GraphBuilder, ResourceBuilder};
pub(crate) use lower::{expression_diagnostic, template_diagnostic};

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
    params: IndexMap<String, Value>,
    purpose: Purpose,
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
        Self { registry, params: IndexMap::new(), purpose: Purpose::Run }
    }

    /// Gives a parameter of the module a value. A later value for the same name wins.
    pub fn with_param(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.params.insert(name.into(), value.into());
        self
    }

    /// Loads modules to look at them rather than to run them: that a parameter has no value is then no
    /// mistake.
    pub fn for_inspection(mut self) -> Self {
        self.purpose = Purpose::Inspect;
        self
    }

    /// Loads a module file, and the modules that it calls.
    pub fn load_file(&self, path: &Path) -> Loaded {
        let mut files = Files::new(self.registry);
        let mut lost = Lost::default();
        let mut diagnostics = Diagnostics::new();
        let file =
            files.sources.file(path).and_then(|source| files.open(&source, &mut lost, &mut diagnostics));
        match file {
            Ok(file) => self.load(&file, files, lost, diagnostics),
            Err(error) => {
                diagnostics.push(error.into());
                Loaded { graph: Graph::default(), diagnostics, sources: Arc::default() }
            }
        }
    }

    /// Loads a module from text. `name` is what messages call it. The modules that it calls must have absolute
    /// paths, as there is no file that others could be relative to.
    pub fn load_text(&self, name: &str, text: impl Into<Arc<str>>) -> Loaded {
        let mut files = Files::new(self.registry);
        let mut lost = Lost::default();
        let mut diagnostics = Diagnostics::new();
        let file = files.text(&Source::text(name), &text.into(), &mut lost, &mut diagnostics);
        self.load(&file, files, lost, diagnostics)
    }

    fn load(
        &self,
        file: &ModuleFile,
        files: Files<'_>,
        mut lost: Lost,
        mut diagnostics: Diagnostics,
    ) -> Loaded {
        let outside = Outside::Root { params: &self.params, purpose: self.purpose };
        let expander = Expander::new(self.registry, files, &mut lost, &mut diagnostics);
        let (placed, files) = expander.root(file, &outside);
        let sources = Arc::new(files.map);
        let graph = link::link(placed, Arc::clone(&sources), &lost, &mut diagnostics);
        diagnostics.sort();
        // What is wrong in a module that is called twice is one mistake.
        diagnostics.dedup();
        let name = file.source.name();
        tracing::info!(module = %name, resources = graph.len(), problems = diagnostics.len(), "loaded");
        Loaded { graph, diagnostics, sources }
    }
}
