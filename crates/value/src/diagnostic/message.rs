//! Diagnostics as data: what is wrong, where, and what to do about it.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::limit::ReachedLimit;
use super::source::{SourceMap, Span};
use crate::redact::Redactor;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Worth knowing; nothing stops.
    Warning,
    /// The module cannot be run.
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

/// A stretch of source text with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Label {
    /// The text that is underlined.
    pub span: Span,
    /// A few words under the line; may be empty.
    pub text: String,
}

/// One problem in a module.
///
/// `code` is stable and made of lower-case words (`unknown-field`), so that it can be looked up and
/// matched by tools. The first label is where the problem is; the others are places that explain it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Diagnostic {
    /// Stable name of the kind of problem.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line that names the thing.
    pub message: String,
    /// Places; the first is the primary one. Empty only for what has no place in a file.
    pub labels: Vec<Label>,
    /// How to fix it, when there is something to say.
    pub help: Option<String>,
    /// The limit that was reached, when that is what is wrong.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub limit: Option<ReachedLimit>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        let (labels, message) = (Vec::new(), message.into());
        Self { code, severity: Severity::Error, message, labels, help: None, limit: None }
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, message) }
    }

    /// Adds a place, when there is one: what is built in Rust has none. The first one added is the primary one.
    pub fn label(mut self, span: impl Into<Option<Span>>, text: impl Into<String>) -> Self {
        self.labels.extend(span.into().map(|span| Label { span, text: text.into() }));
        self
    }

    /// Says how to fix it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says that a limit was reached, and how it is raised.
    pub fn reached(mut self, limit: ReachedLimit) -> Self {
        let help = self.help.take().map_or_else(String::new, |help| format!("{help}; "));
        self.help = Some(format!("{help}{}", limit.help()));
        self.limit = Some(limit);
        self
    }

    /// Takes what may not be shown out of its texts. The files that it points into have a [redactor](SourceMap::redactor) of
    /// their own.
    #[doc(hidden)]
    pub fn redact(&mut self, redactor: &Redactor) {
        let Self { code: _, severity: _, message, labels, help, limit: _ } = self;
        redactor.redact_in_place(message);
        let labels = labels.iter_mut().map(|Label { span: _, text }| text);
        for text in labels.chain(help) {
            redactor.redact_in_place(text);
        }
    }

    /// The primary place.
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// One line: `file:line:column: error[code]: message`.
    pub fn one_line(&self, sources: &SourceMap) -> String {
        let place = self.span().map(|span| format!("{}: ", sources.location(span))).unwrap_or_default();
        format!("{place}{}[{}]: {}", self.severity, self.code, self.message)
    }
}

/// All diagnostics of a load, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// The ones with these numbers, in the order in which they were found.
    #[doc(hidden)]
    pub fn range_mut(&mut self, range: Range<usize>) -> &mut [Diagnostic] {
        self.0.get_mut(range).unwrap_or_default()
    }

    /// Takes what may not be shown out of all of them.
    #[doc(hidden)]
    pub fn redact(&mut self, redactor: &Redactor) {
        if !redactor.is_empty() {
            self.0.iter_mut().for_each(|diagnostic| diagnostic.redact(redactor));
        }
    }

    /// Whether any is an error.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Sorts by place, so that the order does not depend on the pass that found each: by the order of the files, and in a file
    /// by where they begin.
    pub fn sort(&mut self, sources: &SourceMap) {
        self.0.sort_by_key(|diagnostic| diagnostic.span().map(|span| sources.order(span)));
    }

    /// Keeps one of several that say the same at the same place, and no failure of an evaluation where something
    /// else is wrong already: it is that mistake again. They must be sorted.
    #[doc(hidden)]
    pub fn dedup(&mut self) {
        let evaluated = |diagnostic: &Diagnostic| matches!(diagnostic.code, "template" | "expression");
        let begins = |span: Span| (span.file, span.start);
        let wrong = self.0.iter().filter(|diagnostic| !evaluated(diagnostic));
        let wrong: HashSet<_> =
            wrong.flat_map(|diagnostic| &diagnostic.labels).map(|label| begins(label.span)).collect();
        let mut said: HashSet<(&'static str, String)> = HashSet::new();
        let mut place = None;
        self.0.retain(|diagnostic| {
            let Some(span) = diagnostic.span() else { return true };
            if place != Some(span) {
                place = Some(span);
                said.clear();
            }
            let follows = evaluated(diagnostic) && wrong.contains(&begins(span));
            !follows && said.insert((diagnostic.code, diagnostic.message.clone()))
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
