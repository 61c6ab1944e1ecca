//! The result of a load, and its error.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Diagnostics, SourceMap};
use crate::graph::Graph;

/// The result of a load: a graph to run, or errors.
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
    /// Whether there was an error; removing it from the diagnostics does not make the graph usable.
    is_broken: bool,
    /// All diagnostics, sorted by position; only warnings if there is no error.
    pub diagnostics: Diagnostics,
    /// The files that the spans refer to.
    pub sources: Arc<SourceMap>,
}

impl Loaded {
    pub(super) fn new(graph: Graph, diagnostics: Diagnostics, sources: Arc<SourceMap>) -> Self {
        Self { graph, is_broken: diagnostics.has_errors(), diagnostics, sources }
    }

    /// Returns the graph to run.
    ///
    /// # Errors
    ///
    /// Fails with all diagnostics if any is an error.
    pub fn into_graph(self) -> Result<Arc<Graph>, LoadError> {
        let Self { graph, is_broken, diagnostics, sources } = self;
        if is_broken { Err(LoadError { diagnostics, sources }) } else { Ok(Arc::new(graph)) }
    }

    /// Returns the understood part of the graph, for display or search; complete if there is no error.
    pub fn partial_graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the understood part of the graph, for tests of run errors that loading also finds.
    #[doc(hidden)]
    pub fn into_partial_graph(self) -> Arc<Graph> {
        Arc::new(self.graph)
    }
}

/// The error of a load that gives no graph to run.
///
/// Its text has one paragraph with a position for each diagnostic, so it can be logged or returned with `?`.
/// With the feature `render`, `view::render::diagnostics` also shows the source.
/// `view::json::diagnostic` converts a diagnostic to data with lines and
/// columns.
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
    /// All diagnostics, sorted by position; at least one is an error.
    pub diagnostics: Diagnostics,
    /// The files that the spans refer to.
    pub sources: Arc<SourceMap>,
}

/// The maximum number of diagnostics in the text; all are available as data.
const MOST_SHOWN: usize = 50;

impl Error for LoadError {}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().take(MOST_SHOWN).enumerate() {
            if index > 0 {
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

/// Writes text that quotes a module, with line ends and terminal control characters escaped.
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

/// Shows the same text as `Display`, because `unwrap` and a failing `main` print it.
impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LoadError:\n{self}")
    }
}
