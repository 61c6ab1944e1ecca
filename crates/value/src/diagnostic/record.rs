//! Diagnostics with resolved source places.

use serde::Serialize;

use crate::diagnostic::{Diagnostic, ReachedLimit, Severity, SourceMap, Span};

/// A [`Diagnostic`] whose labels name files, lines and columns.
///
/// The record serializes with `"event": "diagnostic"`, so that a stream of events can contain it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename = "diagnostic")]
#[non_exhaustive]
pub struct DiagnosticRecord<'a> {
    /// The stable name of the kind of problem.
    pub code: &'static str,
    /// The severity of the problem.
    pub severity: Severity,
    /// The message, one line that names the affected thing.
    pub message: &'a str,
    /// The labels; the first one is primary.
    pub labels: Vec<LabelRecord<'a>>,
    /// The advice how to fix the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'a str>,
    /// The limit that was reached: its name and value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<ReachedLimit>,
}

/// A place with a short text about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LabelRecord<'a> {
    /// The place.
    #[serde(flatten)]
    pub place: PlaceRecord<'a>,
    /// The text, a few words or empty.
    pub text: &'a str,
}

/// A range of a file in lines and columns, for people.
///
/// Lines and columns (in characters) count from 1. The end is the position after the last character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlaceRecord<'a> {
    /// The name of the file in the source map.
    pub file: &'a str,
    /// The line of the first character.
    pub line: usize,
    /// The column of the first character.
    pub column: usize,
    /// The line of the position after the last character.
    pub end_line: usize,
    /// The column of the position after the last character.
    pub end_column: usize,
}

impl<'a> PlaceRecord<'a> {
    /// Resolves a span, or returns `None` for a span of another source map.
    pub fn resolve(span: Span, sources: &'a SourceMap) -> Option<Self> {
        let file = sources.file(span.file)?;
        let (start, end) = (file.position(span.start as usize), file.position(span.end as usize));
        Some(Self {
            file: file.name(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        })
    }
}

/// Converts a diagnostic to a record. A label of another source map is left out.
///
/// ```
/// use converge_core::diagnostic::{Diagnostic, SourceMap, Span};
/// use converge_core::view::json;
///
/// let mut sources = SourceMap::new();
/// let file = sources.add("web.hcl", "task \"a\" {}\n");
/// let diagnostic = Diagnostic::error("unknown-type", "unknown type `task`").label(Span::new(file, 0, 4), "");
/// let record = json::diagnostic(&diagnostic, &sources);
/// assert_eq!(record.labels[0].place.line, 1);
/// assert_eq!(record.labels[0].place.end_column, 5);
/// ```
pub fn diagnostic<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> DiagnosticRecord<'a> {
    let labels = diagnostic.labels.iter().filter_map(|label| {
        Some(LabelRecord { place: PlaceRecord::resolve(label.span, sources)?, text: &label.text })
    });
    DiagnosticRecord {
        code: diagnostic.code,
        severity: diagnostic.severity,
        message: &diagnostic.message,
        labels: labels.collect(),
        help: diagnostic.help.as_deref(),
        limit: diagnostic.limit,
    }
}
