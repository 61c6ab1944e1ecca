//! Diagnostics as data: the problem, its location, and the help.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::limit::ReachedLimit;
use super::source::{SourceMap, Span};
use crate::redact::Redactor;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Severity {
    /// A problem that does not prevent a run.
    Warning,
    /// A problem that prevents the module from running.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A span of source text with an annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Label {
    /// The underlined text.
    pub span: Span,
    /// The annotation under the line; may be empty.
    pub text: String,
}

/// A problem in a module.
///
/// `code` is stable and consists of lower-case words (`unknown-field`), so that tools can match it. The first
/// label is the location of the problem; the others explain it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// The stable name of the kind of problem.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The message, one line that names the affected item.
    pub message: String,
    /// The labelled spans, the primary one first. Empty only if the problem has no location in a file.
    pub labels: Vec<Label>,
    /// The help text, if there is one.
    pub help: Option<String>,
    /// The limit that caused the problem, if one did.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub limit: Option<ReachedLimit>,
}

impl Diagnostic {
    /// Creates an error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        let (labels, message) = (Vec::new(), message.into());
        Self { code, severity: Severity::Error, message, labels, help: None, limit: None }
    }

    /// Creates a warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a label if there is a span; items built in Rust have none. The first label is the primary one.
    pub fn label(mut self, span: impl Into<Option<Span>>, text: impl Into<String>) -> Self {
        self.labels.extend(span.into().map(|span| Label { span, text: text.into() }));
        self
    }

    /// Sets the help text.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Records the limit that was reached, and sets the help on how to raise it.
    pub fn reached(mut self, limit: ReachedLimit) -> Self {
        let help = self.help.take().map_or_else(String::new, |help| format!("{help}; "));
        self.help = Some(format!("{help}{}", limit.help()));
        self.limit = Some(limit);
        self
    }

    /// Redacts the texts of the diagnostic.
    ///
    /// The files that it points into have their own [redactor](SourceMap::redactor).
    #[doc(hidden)]
    pub fn redact(&mut self, redactor: &Redactor) {
        let Self { code: _, severity: _, message, labels, help, limit: _ } = self;
        redactor.redact_in_place(message);
        let labels = labels.iter_mut().map(|Label { span: _, text }| text);
        for text in labels.chain(help) {
            redactor.redact_in_place(text);
        }
    }

    /// Returns the primary span.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// Formats the diagnostic as one line: `file:line:column: error[code]: message`.
    pub fn one_line(&self, sources: &SourceMap) -> String {
        let place = self.span().map(|span| format!("{}: ", sources.location(span))).unwrap_or_default();
        format!("{place}{}[{}]: {}", self.severity, self.code, self.message)
    }
}

/// The diagnostics of a load, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Creates an empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// Returns the diagnostics at these positions, in the order in which they were found.
    #[doc(hidden)]
    pub fn range_mut(&mut self, range: Range<usize>) -> &mut [Diagnostic] {
        self.0.get_mut(range).unwrap_or_default()
    }

    /// Redacts the texts of all diagnostics.
    #[doc(hidden)]
    pub fn redact(&mut self, redactor: &Redactor) {
        if !redactor.is_empty() {
            self.0.iter_mut().for_each(|diagnostic| diagnostic.redact(redactor));
        }
    }

    /// Whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Sorts by file and then by offset, so that the order does not depend on the passes of the loader.
    pub fn sort(&mut self, sources: &SourceMap) {
        self.0.sort_by_key(|diagnostic| diagnostic.span().map(|span| sources.order(span)));
    }

    /// Removes duplicates at the same place, and evaluation failures caused by another error there.
    ///
    /// The diagnostics must be sorted.
    #[doc(hidden)]
    pub fn dedup(&mut self) {
        let evaluated = |diagnostic: &Diagnostic| matches!(diagnostic.code, "template" | "expression");
        let start_of = |span: Span| (span.file, span.start);
        let errors = self.0.iter().filter(|diagnostic| !evaluated(diagnostic));
        let error_starts: HashSet<_> =
            errors.flat_map(|diagnostic| &diagnostic.labels).map(|label| start_of(label.span)).collect();
        let mut messages: HashSet<(&'static str, String)> = HashSet::new();
        let mut place = None;
        self.0.retain(|diagnostic| {
            let Some(span) = diagnostic.span() else { return true };
            if place != Some(span) {
                place = Some(span);
                messages.clear();
            }
            let follows = evaluated(diagnostic) && error_starts.contains(&start_of(span));
            !follows && messages.insert((diagnostic.code, diagnostic.message.clone()))
        });
    }
}

impl std::ops::Deref for Diagnostics {
    type Target = [Diagnostic];

    fn deref(&self) -> &[Diagnostic] {
        &self.0
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<I: IntoIterator<Item = Diagnostic>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
