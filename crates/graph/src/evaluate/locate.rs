//! Mapping of errors in a text to their place in the source file.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, Limit, ReachedLimit, SourceMap, Span};
use crate::graph::InputKind;
use crate::language::{CallError, LanguageError, LanguageErrorKind, OutOfSteps, name_elsewhere};
use crate::syntax;
use crate::types::scope::ScopeError;

/// Returns the diagnostic for a template error; `literal` is the span of the string with the template.
#[doc(hidden)]
pub fn template_diagnostic(error: &LanguageError, literal: Option<Span>, sources: &SourceMap) -> Diagnostic {
    let code = match error.kind {
        LanguageErrorKind::TooMuchWork(OutOfSteps::Stopped(reason)) => reason.code(),
        _ => "template",
    };
    let diagnostic = Diagnostic::error(code, error.to_string());
    let Some(literal) = literal else { return diagnostic };
    let (text, start) = (sources.text(literal), literal.start as usize);
    let raw = syntax::literal_range(text, error.range.start as usize..error.range.end as usize);
    let diagnostic = diagnostic.label(Span::new(literal.file, start + raw.start, start + raw.end), "");
    match &error.kind {
        LanguageErrorKind::TooMuchWork(OutOfSteps::Together { steps }) => {
            diagnostic.reached(all_steps(*steps))
        }
        LanguageErrorKind::Function(CallError::UnknownFunction { name, close }) if close.is_empty() => {
            let behind = text.get(raw.end..).unwrap_or_default().trim_start();
            // Jinja users test this way whether a value exists.
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
        LanguageErrorKind::UnclosedAction if text.starts_with('"') => diagnostic.help(
            "the string ends at the next `\"`: inside of `{{ }}` quote with backquotes: {{param `name`}}",
        ),
        _ => diagnostic,
    }
}

/// Returns the diagnostic for an error in an expression at `place`.
#[doc(hidden)]
pub fn expression_diagnostic(error: &LanguageError, place: Option<Span>) -> Diagnostic {
    let (start, end) = (error.range.start as usize, error.range.end as usize);
    let span = place.map(|place| Span::new(place.file, start, end));
    let code = match error.kind {
        LanguageErrorKind::TooMuchWork(OutOfSteps::Stopped(reason)) => reason.code(),
        _ => "expression",
    };
    let diagnostic = Diagnostic::error(code, error.to_string()).label(span, "");
    match &error.kind {
        LanguageErrorKind::TooMuchWork(OutOfSteps::Together { steps }) => {
            diagnostic.reached(all_steps(*steps))
        }
        LanguageErrorKind::Scope { error: ScopeError::Limited { limit, .. }, .. } => {
            diagnostic.reached(*limit)
        }
        LanguageErrorKind::UnknownName { name, close } => match name_elsewhere(name) {
            Some(instead) => diagnostic.help(format!("write {instead}")),
            None if close.is_empty() => diagnostic.help(format!("as text write {name:?}")),
            None => diagnostic,
        },
        _ => diagnostic,
    }
}

fn all_steps(maximum: u64) -> ReachedLimit {
    ReachedLimit { limit: Limit::WorkSteps, most: maximum }
}

/// Returns the span in the file for a range of an input's text; `place` is the span of the input.
#[doc(hidden)]
pub fn input_span(kind: &InputKind, range: &Range<u32>, place: Span, sources: &SourceMap) -> Span {
    input_spans(kind, std::slice::from_ref(range).iter(), place, sources).next().unwrap_or(place)
}

/// Returns the spans in the file for ranges of one input's text, which is scanned only once.
#[doc(hidden)]
pub fn input_spans<'a>(
    kind: &InputKind,
    ranges: impl Iterator<Item = &'a Range<u32>> + Clone,
    place: Span,
    sources: &SourceMap,
) -> impl Iterator<Item = Span> {
    let start = place.start as usize;
    let decoded = ranges.map(|range| range.start as usize..range.end as usize);
    let (from, read) = match kind {
        // Every byte between the quotes stands for itself, as in nearly all texts; escapes take more room
        // than their value.
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
