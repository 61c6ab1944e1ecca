//! Reporting of diagnostics about values, each once.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::diagnostic::{Diagnostic, Diagnostics, FileId, Severity, Span};

/// A collector that drops repeated diagnostics.
///
/// The instances of a `for_each` and the uses of a module share their text, so that their errors repeat.
pub(super) struct Reporter<'a> {
    seen: HashSet<(String, Vec<Span>)>,
    /// The ranges of earlier errors by file and start offset; errors inside them are consequences.
    known: HashMap<FileId, BTreeMap<u32, u32>>,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> Reporter<'a> {
    pub(super) fn new(diagnostics: &'a mut Diagnostics) -> Self {
        let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
        let mut error_ranges = HashMap::<_, BTreeMap<_, _>>::new();
        for span in errors.filter_map(Diagnostic::span) {
            error_ranges.entry(span.file).or_default().insert(span.start, span.end);
        }
        Self { seen: HashSet::new(), known: error_ranges, diagnostics }
    }

    pub(super) fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.span().is_some_and(|span| self.is_known(span)) {
            return;
        }
        let places = diagnostic.labels.iter().map(|label| label.span).collect();
        if self.seen.insert((diagnostic.message.clone(), places)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether an earlier step of the load found an error in the file of a span.
    ///
    /// Without a span, an error anywhere counts.
    pub(super) fn has_error_in(&self, span: Option<Span>) -> bool {
        match span {
            Some(span) => self.known.contains_key(&span.file),
            None => self.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error),
        }
    }

    fn is_known(&self, span: Span) -> bool {
        let before = self.known.get(&span.file).and_then(|ranges| ranges.range(..span.end).next_back());
        before.is_some_and(|(start, end)| *end > span.start || *start >= span.start)
    }
}
