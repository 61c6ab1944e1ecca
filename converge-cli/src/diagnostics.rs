//! Diagnostics in the look of rustc.

#[cfg(test)]
mod tests;

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use converge_core::report::{Diagnostic, Diagnostics, Label, Severity, SourceFile, SourceMap};

use crate::output::sanitize_line;

/// Labels further apart than this many lines are shown as separate snippets, so that what is read of a
/// file does not grow with the distance between two places.
const NEAR: usize = 20;

/// Of a label over more lines than this only the first line is shown.
const TALL: usize = 20;

/// A line longer than this is not shown: it would fill the screen, and drawing it for each of its
/// problems would take time that grows with the square of its length.
const LONGEST_LINE: usize = 4096;

/// One diagnostic, ending in a newline.
pub(crate) fn render(diagnostic: &Diagnostic, sources: &SourceMap, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str()).id(diagnostic.code);
    let mut group = Group::with_title(title);
    for cluster in clusters(diagnostic, sources) {
        group = match cluster.window() {
            Some(window) => group.element(cluster.snippet(&window)),
            None => group.element(cluster.origin()),
        };
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    finish(&renderer.render(&[group]))
}

/// All diagnostics of one file, sorted by place, with a last line that counts them and says what could not be
/// done (`load`). Empty when there are none.
pub(crate) fn render_all(
    doing: &str,
    file: &str,
    diagnostics: &Diagnostics,
    sources: &SourceMap,
    color: bool,
) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics {
        text.push_str(&render(diagnostic, sources, color));
        text.push('\n');
    }
    let errors = diagnostics.iter().filter(|item| item.severity == Severity::Error).count();
    let warnings = diagnostics.len() - errors;
    let counted = match (errors, warnings) {
        (0, 0) => return text,
        (0, warnings) => count(warnings, "warning"),
        (errors, 0) => count(errors, "error"),
        (errors, warnings) => format!("{}, {}", count(errors, "error"), count(warnings, "warning")),
    };
    let (level, last) = match errors {
        0 => (Level::WARNING, format!("{file}: {counted}")),
        _ => (Level::ERROR, format!("could not {doing} {file}: {counted}")),
    };
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    text + &finish(&renderer.render(&[Group::with_title(level.primary_title(last))]))
}

/// The renderer shows the control characters of ASCII; the second set of them (`\u{9b}` begins a
/// sequence as `ESC [` does) is left to us.
fn finish(rendered: &str) -> String {
    let acts = |character: char| matches!(character, '\u{80}'..='\u{9f}');
    let mut text = rendered.replace(acts, "\u{fffd}");
    text.push('\n');
    text
}

/// `1 error`, `2 errors`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Labels that are near each other in one file.
struct Cluster<'a> {
    file: &'a SourceFile,
    /// The first gives the cluster its place.
    marks: Vec<Mark<'a>>,
    first_line: usize,
    last_line: usize,
}

/// What is shown of a label.
struct Mark<'a> {
    /// Bytes of the file, at the beginnings of characters.
    range: Range<usize>,
    text: &'a str,
    primary: bool,
    first_line: usize,
    last_line: usize,
}

impl<'a> Mark<'a> {
    fn of(label: &'a Label, primary: bool, file: &SourceFile) -> Self {
        let text = file.text();
        let start = text.floor_char_boundary(label.span.start as usize);
        let end = text.floor_char_boundary(label.span.end as usize).max(start);
        let first_line = file.position(start).line;
        let last_line = file.position(end).line;
        if last_line - first_line < TALL {
            return Self { range: start..end, text: &label.text, primary, first_line, last_line };
        }
        let end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        Self { range: start..end, text: &label.text, primary, first_line, last_line: first_line }
    }
}

/// The labels of a diagnostic by place, that of the primary label first.
fn clusters<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Cluster<'a>> {
    let mut clusters: Vec<Cluster<'a>> = Vec::new();
    for (at, label) in diagnostic.labels.iter().enumerate() {
        let Some(file) = sources.file(label.span.file) else { continue };
        let mark = Mark::of(label, at == 0, file);
        let (first_line, last_line) = (mark.first_line, mark.last_line);
        let near = clusters.iter_mut().find(|cluster| {
            std::ptr::eq(cluster.file, file)
                && first_line <= cluster.last_line + NEAR
                && cluster.first_line <= last_line + NEAR
        });
        match near {
            Some(cluster) => {
                cluster.marks.push(mark);
                cluster.first_line = cluster.first_line.min(first_line);
                cluster.last_line = cluster.last_line.max(last_line);
            }
            None => clusters.push(Cluster { file, marks: vec![mark], first_line, last_line }),
        }
    }
    clusters
}

impl<'a> Cluster<'a> {
    /// The bytes of the lines that the labels touch; `None` when one of them is too long to be shown.
    fn window(&self) -> Option<Range<usize>> {
        let text = self.file.text();
        let start = self.marks.iter().map(|mark| mark.range.start).min().unwrap_or(0);
        let end = self.marks.iter().map(|mark| mark.range.end).max().unwrap_or(start);
        // A byte order mark has no width, so underlines must not count it.
        let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8().min(start) } else { 0 };
        let start = text[..start].rfind('\n').map_or(first, |newline| newline + 1);
        let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        let fits = text[start..end].lines().all(|line| line.len() <= LONGEST_LINE);
        fits.then_some(start..end)
    }

    fn snippet(&self, window: &Range<usize>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let file = self.file;
        let annotations = self.marks.iter().map(|mark| {
            let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let range = mark.range.start - window.start..mark.range.end - window.start;
            kind.span(range).label((!mark.text.is_empty()).then_some(mark.text))
        });
        Snippet::source(&file.text()[window.clone()])
            .line_start(self.first_line)
            .path(sanitize_line(file.name()))
            .annotations(annotations)
    }

    fn origin(&self) -> Origin<'a> {
        let origin = Origin::path(sanitize_line(self.file.name()));
        match self.marks.first() {
            Some(mark) => {
                let place = self.file.position(mark.range.start);
                origin.line(place.line).char_column(place.column)
            }
            None => origin,
        }
    }
}
