//! Diagnostics with their places resolved.

use serde::Serialize;

use crate::diagnostic::{Diagnostic, ReachedLimit, Severity, SourceMap, Span};

/// A [`Diagnostic`] whose labels name files, lines and columns.
///
/// It serialises with `"event": "diagnostic"`, so that it can stand in a stream of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename = "diagnostic")]
#[non_exhaustive]
pub struct DiagnosticRecord<'a> {
    /// Stable name of the kind of problem.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One line that names the thing.
    pub message: &'a str,
    /// Places; the first is the primary one.
    pub labels: Vec<LabelRecord<'a>>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<&'a str>,
    /// The limit that was reached: its name, and what it is set to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<ReachedLimit>,
}

/// A place with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LabelRecord<'a> {
    /// The place.
    #[serde(flatten)]
    pub place: PlaceRecord<'a>,
    /// A few words; may be empty.
    pub text: &'a str,
}

/// A stretch of a file as people count it: lines and columns (in characters) from 1, the end being the
/// place after the last character.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PlaceRecord<'a> {
    /// Name of the file, as the source map has it.
    pub file: &'a str,
    /// Line of the first character.
    pub line: usize,
    /// Column of the first character.
    pub column: usize,
    /// Line of the place after the last character.
    pub end_line: usize,
    /// Column of the place after the last character.
    pub end_column: usize,
}

impl<'a> PlaceRecord<'a> {
    /// The place of a span; `None` for a span of another map.
    pub fn of(span: Span, sources: &'a SourceMap) -> Option<Self> {
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

/// The record of a diagnostic. A label of another map is left out.
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
        Some(LabelRecord { place: PlaceRecord::of(label.span, sources)?, text: &label.text })
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
