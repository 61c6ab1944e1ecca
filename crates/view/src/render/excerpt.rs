//! Excerpts of source files around the labels of a diagnostic.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Origin, Snippet};

use super::quote::Quote;
use super::sanitize::sanitize_line;
use crate::diagnostic::{Diagnostic, Label, SourceFile, SourceMap};

/// The maximum number of lines between labels in one excerpt.
///
/// Labels further apart get separate excerpts, so that the lines read do not grow with their distance.
const MERGE_DISTANCE: usize = 20;

const MAX_LABEL_LINES: usize = 20;

/// The maximum length in bytes of a line that is shown.
///
/// A longer line would fill the screen, and drawing it for each problem takes time quadratic in its length.
pub(super) const MAX_LINE_BYTES: usize = 4096;

/// Labels close to each other in one file, with the lines that contain them.
pub(super) struct Excerpt<'a> {
    file: &'a SourceFile,
    sources: &'a SourceMap,
    /// The underlined labels; the first one determines the position of the excerpt.
    underlines: Vec<Underline<'a>>,
    first_line: usize,
    last_line: usize,
}

struct Underline<'a> {
    /// The byte range in the file, at character boundaries.
    range: Range<usize>,
    text: &'a str,
    primary: bool,
    first_line: usize,
    last_line: usize,
}

impl<'a> Underline<'a> {
    fn from_label(label: &'a Label, primary: bool, file: &SourceFile) -> Self {
        let text = file.text();
        let start = text.floor_char_boundary(label.span.start as usize);
        let end = text.floor_char_boundary(label.span.end as usize).max(start);
        let first_line = file.position(start).line;
        let last_line = file.position(end).line;
        if last_line - first_line < MAX_LABEL_LINES {
            return Self { range: start..end, text: &label.text, primary, first_line, last_line };
        }
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        Self { range: start..end, text: &label.text, primary, first_line, last_line: first_line }
    }
}

/// Groups the labels of a diagnostic by position; the group of the primary label is first.
pub(super) fn excerpts<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<Excerpt<'a>> = Vec::new();
    for (index, label) in diagnostic.labels.iter().enumerate() {
        let Some(file) = sources.file(label.span.file) else { continue };
        let underline = Underline::from_label(label, index == 0, file);
        let (first_line, last_line) = (underline.first_line, underline.last_line);
        let nearest = excerpts.iter_mut().find(|excerpt| {
            std::ptr::eq(excerpt.file, file)
                && first_line <= excerpt.last_line + MERGE_DISTANCE
                && excerpt.first_line <= last_line + MERGE_DISTANCE
        });
        match nearest {
            Some(excerpt) => {
                excerpt.underlines.push(underline);
                excerpt.first_line = excerpt.first_line.min(first_line);
                excerpt.last_line = excerpt.last_line.max(last_line);
            }
            None => {
                excerpts.push(Excerpt { file, sources, underlines: vec![underline], first_line, last_line });
            }
        }
    }
    excerpts
}

impl<'a> Excerpt<'a> {
    /// Returns the byte range of the labelled lines, or `None` if one of them is too long to be shown.
    fn window(&self) -> Option<Range<usize>> {
        let text = self.file.text();
        let start = self.underlines.iter().map(|underline| underline.range.start).min().unwrap_or(0);
        let end = self.underlines.iter().map(|underline| underline.range.end).max().unwrap_or(start);
        // A byte order mark has no width, so underlines must not count it.
        let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8().min(start) } else { 0 };
        let start = text[..start].rfind('\n').map_or(first, |newline| newline + 1);
        let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        let fits = text[start..end].lines().all(|line| line.len() <= MAX_LINE_BYTES);
        fits.then_some(start..end)
    }

    /// Adds the lines with underlined labels, or only the position in the file.
    ///
    /// The lines are omitted if one is too long, or if redaction has moved the label or left nothing to show.
    pub(super) fn add_to(&self, group: Group<'a>) -> Group<'a> {
        match self.window() {
            Some(window) => {
                let quote = Quote::new(self.file, self.sources, &window);
                let place = self.underlines.first().map_or(window.start, |underline| underline.range.start);
                if quote.has_place(place) {
                    group.element(self.snippet(quote).path(sanitize_line(self.file.name())))
                } else {
                    group.element(self.origin())
                }
            }
            None => group.element(self.origin()),
        }
    }

    fn snippet(&self, quote: Quote<'a>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let annotations = self.underlines.iter().map(|underline| {
            let kind = if underline.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(quote.range(&underline.range))
                .label((!underline.text.is_empty()).then_some(underline.text))
        });
        let annotations: Vec<_> = annotations.collect();
        Snippet::source(quote.text).line_start(self.first_line).annotations(annotations)
    }

    fn origin(&self) -> Origin<'a> {
        let origin = Origin::path(sanitize_line(self.file.name()));
        match self.underlines.first() {
            Some(underline) => {
                let place = self.file.position(underline.range.start);
                origin.line(place.line).char_column(place.column)
            }
            None => origin,
        }
    }
}
