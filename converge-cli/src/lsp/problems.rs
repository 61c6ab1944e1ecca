//! Conversion of diagnostics to the problems that a client shows.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use converge_core::assist::fixes;
use converge_core::diagnostic::{Diagnostic, SourceFile, SourceMap};
use converge_core::load::Source;

use super::analysis::Findings;
use super::documents::Documents;
use super::protocol::{INFORMATION, Location, Problem, Related, TextEdit, severity};
use super::text::{Encoding, Position, Span, Text};

/// The code of a module that is not in the cache, and would need the network.
const NOT_CACHED: &str = "not-cached";

/// The code of a plugin that a module names.
const PLUGIN: &str = "plugin";
const UNKNOWN_TYPE: &str = "unknown-type";

/// The message about a plugin that a module names.
const NOT_RUN: &str = "the editor does not run plugins that a module names: to know its types, put the plugin into a folder given with `converge lsp --plugin-dir`";

/// The problems found in a file and the files it calls.
#[derive(Debug)]
pub(super) struct Report {
    /// The problems of each file.
    pub(super) problems: HashMap<Source, Vec<Problem>>,
    /// The available fixes.
    pub(super) remedies: Vec<Fix>,
    /// The files that were read, besides the analysed file itself.
    pub(super) read: HashSet<Source>,
}

/// A fix of a problem.
#[derive(Debug)]
pub(super) struct Fix {
    pub(super) source: Source,
    pub(super) problem: Problem,
    pub(super) title: String,
    pub(super) edit: TextEdit,
    /// The text that the fix applies to.
    pub(super) text: Arc<str>,
}

/// Converts places in the files of a load to protocol positions.
struct Places<'a> {
    files: &'a SourceMap,
    documents: &'a Documents,
    encoding: Encoding,
    /// The texts with their line starts, by file name.
    texts: HashMap<String, Text>,
}

impl Places<'_> {
    fn text(&mut self, file: &SourceFile) -> &Text {
        self.texts.entry(file.name().to_owned()).or_insert_with(|| Text::new(file.text().to_string()))
    }

    fn span(&mut self, place: converge_core::diagnostic::Span) -> Option<(Source, Span)> {
        let files = self.files;
        let file = files.file(place.file)?;
        let encoding = self.encoding;
        let span = self.text(file).span(&place.range(), encoding);
        Some((Source::file(Path::new(file.name())), span))
    }

    /// Converts a diagnostic.
    ///
    /// `names_plugins` says whether unknown types may come from plugins that do not run.
    fn problem(&mut self, root: &Source, diagnostic: &Diagnostic, names_plugins: bool) -> (Source, Problem) {
        let nowhere = Position { line: 0, character: 0 };
        let place = diagnostic.span().and_then(|span| self.span(span));
        let (source, range) = place.unwrap_or_else(|| (root.clone(), Span { start: nowhere, end: nowhere }));
        let mut message = diagnostic.message.clone();
        let label = diagnostic.labels.first().map_or("", |label| &label.text);
        for (word, text) in [("", label), ("help: ", diagnostic.help.as_deref().unwrap_or_default())] {
            if !text.is_empty() {
                message.extend(["\n", word, text]);
            }
        }
        let others = diagnostic.labels.iter().skip(1);
        let related = others.filter_map(|label| {
            let (source, range) = self.span(label.span)?;
            let message = if label.text.is_empty() { diagnostic.message.clone() } else { label.text.clone() };
            Some(Related { location: Location { uri: self.documents.uri(&source), range }, message })
        });
        let related_information = related.collect();
        let severity = match diagnostic.code {
            NOT_CACHED | PLUGIN => INFORMATION,
            UNKNOWN_TYPE if names_plugins => INFORMATION,
            _ => severity(diagnostic.severity),
        };
        if diagnostic.code == PLUGIN {
            NOT_RUN.clone_into(&mut message);
        }
        let problem = Problem {
            range,
            severity,
            code: diagnostic.code,
            source: "converge",
            message,
            related_information,
        };
        (source, problem)
    }
}

impl Report {
    pub(super) fn new(findings: &Findings, documents: &Documents, encoding: Encoding) -> Self {
        let Findings { root, diagnostics, files, .. } = findings;
        let mut places = Places { files, documents, encoding, texts: HashMap::new() };
        let mut problems: HashMap<Source, Vec<Problem>> = HashMap::new();
        let mut remedies = Vec::new();
        let names_plugins = diagnostics.iter().any(|diagnostic| diagnostic.code == PLUGIN);
        for diagnostic in diagnostics {
            let (source, problem) = places.problem(root, diagnostic, names_plugins);
            if let Some(file) = diagnostic.span().and_then(|span| files.file(span.file)) {
                for fix in fixes(diagnostic, file.text()) {
                    let range = places.text(file).span(&fix.range, encoding);
                    remedies.push(Fix {
                        source: source.clone(),
                        problem: problem.clone(),
                        title: fix.title,
                        edit: TextEdit { range, new_text: fix.text },
                        text: Arc::clone(file.text()),
                    });
                }
            }
            problems.entry(source).or_default().push(problem);
        }
        let read = files.files().map(|file| Source::file(Path::new(file.name()))).collect();
        Self { problems, remedies, read }
    }
}
