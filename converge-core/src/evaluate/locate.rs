//! From what is wrong with a text to the place in the file where it is written.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Limit, ReachedLimit, SourceMap, Span};
use crate::graph::InputKind;
use crate::language::expression::{ExpressionError, ExpressionErrorKind};
use crate::language::template::{TemplateError, TemplateErrorKind};
use crate::language::{CallError, OutOfSteps, name_elsewhere};
use crate::syntax;
use crate::types::scope::ScopeError;

/// The diagnostic of a template error; `literal` is the place of the string that holds the template.
pub(crate) fn template_diagnostic(
    error: &TemplateError,
    literal: Option<Span>,
    sources: &SourceMap,
) -> Diagnostic {
    let code = match error.kind {
        TemplateErrorKind::TooMuchWork(OutOfSteps::Stopped(reason)) => reason.code(),
        _ => "template",
    };
    let diagnostic = Diagnostic::error(code, error.to_string());
    let Some(literal) = literal else { return diagnostic };
    let (text, start) = (sources.text(literal), literal.start as usize);
    let raw = syntax::literal_range(text, error.range.start as usize..error.range.end as usize);
    let diagnostic = diagnostic.label(Span::new(literal.file, start + raw.start, start + raw.end), "");
    match &error.kind {
        TemplateErrorKind::TooMuchWork(OutOfSteps::Together { steps }) => {
            diagnostic.reached(all_steps(*steps))
        }
        TemplateErrorKind::Function(CallError::UnknownFunction { name, close }) if close.is_empty() => {
            let behind = text.get(raw.end..).unwrap_or_default().trim_start();
            // Jinja's way to ask whether there is a value.
            let asks = ["is defined", "is not defined"].iter().any(|words| behind.starts_with(words));
            let stands_alone = behind.starts_with(['}', '|', '-']);
            if asks {
                diagnostic.help(format!(
                    "a parameter with `default = null` may have none: when = param.{name} != null"
                ))
            } else if stands_alone {
                diagnostic.help(format!(
                    "a parameter is {{{{param `{name}`}}}}, and a key of what a file is given {{{{.{name}}}}}"
                ))
            } else {
                diagnostic
            }
        }
        TemplateErrorKind::UnclosedAction if text.starts_with('"') => diagnostic.help(
            "the string ends at the next `\"`: inside of `{{ }}` quote with backquotes: {{param `name`}}",
        ),
        _ => diagnostic,
    }
}

/// The diagnostic of an error in a computed expression, which is written at `place`.
pub(crate) fn expression_diagnostic(error: &ExpressionError, place: Option<Span>) -> Diagnostic {
    let (start, end) = (error.range.start as usize, error.range.end as usize);
    let span = place.map(|place| Span::new(place.file, start, end));
    let code = match error.kind {
        ExpressionErrorKind::TooMuchWork(OutOfSteps::Stopped(reason)) => reason.code(),
        _ => "expression",
    };
    let diagnostic = Diagnostic::error(code, error.to_string()).label(span, "");
    match &error.kind {
        ExpressionErrorKind::TooMuchWork(OutOfSteps::Together { steps }) => {
            diagnostic.reached(all_steps(*steps))
        }
        ExpressionErrorKind::Scope(ScopeError::Limited { limit, .. }) => diagnostic.reached(*limit),
        ExpressionErrorKind::UnknownName { name, close } => match name_elsewhere(name) {
            Some(instead) => diagnostic.help(format!("write {instead}")),
            None if close.is_empty() => diagnostic.help(format!("as text write {name:?}")),
            None => diagnostic,
        },
        _ => diagnostic,
    }
}

fn all_steps(most: u64) -> ReachedLimit {
    ReachedLimit { limit: Limit::WorkSteps, most }
}

/// Where a range of an input's text is written in the file; `place` is the place of the input.
pub(crate) fn input_span(kind: &InputKind, range: &Range<u32>, place: Span, sources: &SourceMap) -> Span {
    input_spans(kind, std::slice::from_ref(range).iter(), place, sources).next().unwrap_or(place)
}

/// Where ranges of one input's text are written in the file. It is read once for all of them.
pub(crate) fn input_spans<'a>(
    kind: &InputKind,
    ranges: impl Iterator<Item = &'a Range<u32>> + Clone,
    place: Span,
    sources: &SourceMap,
) -> impl Iterator<Item = Span> {
    let start = place.start as usize;
    let decoded = ranges.map(|range| range.start as usize..range.end as usize);
    let (from, read) = match kind {
        // Between its quotes every byte stands for itself, as in nearly all: whatever else is written takes more room.
        InputKind::Template(template) if template.length() + 2 == place.range().len() => (start + 1, None),
        InputKind::Template(_) | InputKind::Predicate(_) => {
            let decoded: Vec<_> = decoded.clone().collect();
            (start, Some(syntax::literal_ranges(sources.text(place), &decoded)))
        }
        InputKind::Expression(_) => (0, None),
        InputKind::Value(_) | InputKind::List(_) | InputKind::Map(_) | InputKind::Lookup(_) => {
            (0, Some(decoded.clone().map(|_| place.range()).collect()))
        }
    };
    let mut read = read.map(Vec::into_iter);
    decoded.map(move |range| {
        let range = read.as_mut().map_or(Some(range), Iterator::next).unwrap_or_default();
        Span::new(place.file, from + range.start, from + range.end)
    })
}
