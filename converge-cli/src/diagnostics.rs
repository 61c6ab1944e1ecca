//! Diagnostics in the look of rustc.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use converge_core::report::{Diagnostic, Diagnostics, Label, Severity, SourceFile, SourceMap};

/// Labels further apart than this many lines are shown as separate snippets, so that what is read of a
/// file does not grow with the distance between two places.
const NEAR: usize = 20;

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
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// All diagnostics of one file, sorted by place, with a last line that counts them. Empty when there are
/// none.
pub(crate) fn render_all(file: &str, diagnostics: &Diagnostics, sources: &SourceMap, color: bool) -> String {
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
        _ => (Level::ERROR, format!("could not load {file}: {counted}")),
    };
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    text.push_str(&renderer.render(&[Group::with_title(level.primary_title(last))]));
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
    /// With whether the label is the primary one. The first has the cluster's place.
    labels: Vec<(&'a Label, bool)>,
    first_line: usize,
    last_line: usize,
}

/// The labels of a diagnostic by place, that of the primary label first.
fn clusters<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Cluster<'a>> {
    let mut clusters: Vec<Cluster<'a>> = Vec::new();
    for (at, label) in diagnostic.labels.iter().enumerate() {
        let Some(file) = sources.file(label.span.file) else { continue };
        let first = file.position(label.span.start as usize).line;
        let last = file.position(label.span.end as usize).line;
        let near = clusters.iter_mut().find(|cluster| {
            std::ptr::eq(cluster.file, file)
                && first <= cluster.last_line + NEAR
                && cluster.first_line <= last + NEAR
        });
        match near {
            Some(cluster) => {
                cluster.labels.push((label, at == 0));
                cluster.first_line = cluster.first_line.min(first);
                cluster.last_line = cluster.last_line.max(last);
            }
            None => clusters.push(Cluster {
                file,
                labels: vec![(label, at == 0)],
                first_line: first,
                last_line: last,
            }),
        }
    }
    clusters
}

impl<'a> Cluster<'a> {
    /// The bytes of the lines that the labels touch; `None` when one of them is too long to be shown.
    fn window(&self) -> Option<Range<usize>> {
        let text = self.file.text();
        let starts = self.labels.iter().map(|(label, _)| label.span.start as usize);
        let ends = self.labels.iter().map(|(label, _)| label.span.end as usize);
        let start = floor(text, starts.min().unwrap_or(0));
        let end = floor(text, ends.max().unwrap_or(0)).max(start);
        let start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[end..].find('\n').map_or(text.len(), |newline| end + newline);
        let fits = text[start..end].lines().all(|line| line.len() <= LONGEST_LINE);
        fits.then_some(start..end)
    }

    fn snippet(&self, window: &Range<usize>) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let file = self.file;
        let annotations = self.labels.iter().map(|(label, primary)| {
            let start = floor(file.text(), label.span.start as usize);
            let end = floor(file.text(), label.span.end as usize).max(start);
            let kind = if *primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let text = (!label.text.is_empty()).then_some(label.text.as_str());
            kind.span(start - window.start..end - window.start).label(text)
        });
        Snippet::source(&file.text()[window.clone()])
            .line_start(self.first_line)
            .path(file.name())
            .annotations(annotations)
    }

    fn origin(&self) -> Origin<'a> {
        let origin = Origin::path(self.file.name());
        match self.labels.first() {
            Some((label, _)) => {
                let place = self.file.position(label.span.start as usize);
                origin.line(place.line).char_column(place.column)
            }
            None => origin,
        }
    }
}

/// The nearest offset at or before this one that begins a character.
fn floor(text: &str, offset: usize) -> usize {
    text.floor_char_boundary(offset)
}
