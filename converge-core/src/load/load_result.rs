//! What loading gives, and what it gives when there is nothing to run.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use crate::graph::Graph;

/// What loading gives: a graph to run, or what is wrong.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
///
/// let registry = Registry::new();
/// let loaded = Loader::new(&registry).load_text("hello.hcl", r#"param "who" { default = "${env.USER}" }"#);
/// // Warnings are there, whether or not there is a graph to run.
/// assert_eq!(loaded.diagnostics[0].code, "literal-interpolation");
/// let graph = loaded.into_graph()?;
/// assert_eq!(graph.len(), 1);
/// # Ok::<(), converge_core::load::LoadError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Loaded {
    graph: Graph,
    /// Whether there was an error: to take it out of the diagnostics makes no graph whole.
    is_broken: bool,
    /// Everything that is wrong, sorted by place. Without an error these are warnings.
    pub diagnostics: Diagnostics,
    /// The files that the spans point into.
    pub sources: Arc<SourceMap>,
}

impl Loaded {
    pub(super) fn new(graph: Graph, diagnostics: Diagnostics, sources: Arc<SourceMap>) -> Self {
        Self { graph, is_broken: diagnostics.has_errors(), diagnostics, sources }
    }

    /// The graph, which can be run.
    ///
    /// # Errors
    ///
    /// Everything that is wrong, when there is an error among it.
    pub fn into_graph(self) -> Result<Arc<Graph>, LoadError> {
        let Self { graph, is_broken, diagnostics, sources } = self;
        if is_broken { Err(LoadError { diagnostics, sources }) } else { Ok(Arc::new(graph)) }
    }

    /// What could be understood, to be looked at: drawn, listed, searched. It is whole when there is no error.
    pub fn partial_graph(&self) -> &Graph {
        &self.graph
    }

    /// What could be understood, to be run in a test of what a run says about mistakes that loading finds, too.
    #[cfg(feature = "testing")]
    pub fn into_partial_graph(self) -> Arc<Graph> {
        Arc::new(self.graph)
    }
}

/// Why there is no graph to run.
///
/// As text it is one paragraph for each mistake, with its place; so it may be logged, or passed on with `?`.
/// With the feature `render`, `view::render::diagnostics` shows the source as well. As data, with lines and columns,
/// it is what [`view::json::diagnostic`](crate::view::json::diagnostic) makes of each diagnostic.
///
/// ```
/// use converge_core::Registry;
/// use converge_core::load::Loader;
/// use converge_core::view::json;
///
/// let registry = Registry::new();
/// let error = Loader::new(&registry).load_text("site.hcl", "parm \"who\" {}\n").into_graph().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "site.hcl:1:1: error[unknown-type]: unknown resource type `parm`\n  help: did you mean `param`?"
/// );
/// let record = json::diagnostic(&error.diagnostics[0], &error.sources);
/// let place = &record.labels[0].place;
/// assert_eq!((place.file, place.line, place.column, place.end_column), ("site.hcl", 1, 1, 5));
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub struct LoadError {
    /// Everything that is wrong, sorted by place; an error is among it.
    pub diagnostics: Diagnostics,
    /// The files that the spans point into.
    pub sources: Arc<SourceMap>,
}

/// How many diagnostics are shown as text: whoever wants all has them as data.
const MOST_SHOWN: usize = 50;

impl Error for LoadError {}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, diagnostic) in self.diagnostics.iter().take(MOST_SHOWN).enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            self.write(diagnostic, f)?;
        }
        match self.diagnostics.len().saturating_sub(MOST_SHOWN) {
            0 => Ok(()),
            more => write!(f, "\n... and {more} more"),
        }
    }
}

impl LoadError {
    fn write(&self, diagnostic: &Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line(&diagnostic.one_line(&self.sources), f)?;
        for label in diagnostic.labels.iter().skip(1).filter(|label| !label.text.is_empty()) {
            f.write_str("\n  ")?;
            write_line(&format!("{}: {}", self.sources.location(label.span), label.text), f)?;
        }
        if let Some(help) = &diagnostic.help {
            f.write_str("\n  help: ")?;
            write_line(help, f)?;
        }
        Ok(())
    }
}

/// Writes a text that quotes a module: nothing in it ends the line, or controls the terminal.
fn write_line(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let acts = |character: char| character.is_control();
    for part in text.split_inclusive(acts) {
        match part.char_indices().next_back().filter(|(_, last)| acts(*last)) {
            Some((at, last)) => write!(f, "{}{}", part.get(..at).unwrap_or_default(), last.escape_default())?,
            None => f.write_str(part)?,
        }
    }
    Ok(())
}

/// The same text: a `main` that ends with an error shows it in this way, as does `unwrap`.
impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoadError:\n{self}")
    }
}
