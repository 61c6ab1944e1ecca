//! Output of the report of one resource.

use std::time::Duration;

use anstyle::Style;
use converge_core::StatusLevel;
use converge_core::diagnostic::SourceMap;
use converge_core::engine::{Failure, Outcome, ResourceReport, Stage};
use converge_core::graph::NodeId;
use converge_core::view::render::{self, sanitize, sanitize_line};

use super::difference::difference;
use super::outcome::outcome;
use crate::console::{BOLD, ERROR, Paint, WARNING};
use crate::output::activity::waited;
use crate::wording::elapsed;

/// The shortest work or wait whose duration is shown.
const MIN_SHOWN_DURATION: Duration = Duration::from_secs(1);

/// The line above differences that were expected and not made.
const NOT_MADE: &str = "not applied, or only in part:";

/// Formats the lines for a finished resource.
///
/// There are none for an unchanged resource without warnings and messages. With `verbose`, other details of
/// an unchanged resource are shown too.
pub(super) fn resource(report: &ResourceReport, verbose: bool, paint: Paint, sources: &SourceMap) -> String {
    let is_quiet = report.outcome == Outcome::Unchanged && report.warnings.is_empty() && !report.announces;
    if is_quiet && !verbose {
        return String::new();
    }
    let details = details(report, verbose, paint, sources);
    if is_quiet && details.is_empty() {
        return String::new();
    }
    let (sign, style, words) = verdict(report);
    let time = if report.elapsed >= MIN_SHOWN_DURATION {
        format!(" ({})", elapsed(report.elapsed))
    } else {
        String::new()
    };
    let name = paint.paint(BOLD, sanitize_line(report.id.short()));
    let optional = if report.optional { " (optional)" } else { "" };
    let (sign, words) = (paint.paint(style, sign), paint.paint(style, words));
    format!("{sign} {name}  {words}{optional}{time}\n{details}")
}

pub(in crate::output) fn verdict_words(report: &ResourceReport) -> String {
    verdict(report).2
}

/// Formats the details below the first line.
pub(in crate::output) fn details(
    report: &ResourceReport,
    verbose: bool,
    paint: Paint,
    sources: &SourceMap,
) -> String {
    let mut text = String::new();
    let mut changes = report.differences.iter().filter(|difference| difference.changes).peekable();
    if changes.peek().is_some() && is_not_made(report) {
        text.push_str(&indented("", NOT_MADE));
    }
    for change in changes {
        text.push_str(&difference(change, paint));
    }
    // Other outcomes state this in the first line.
    if let (Outcome::MayChange, Some(skipped)) = (report.outcome, &report.skipped) {
        text.push_str(&indented("", &skipped.reason));
    }
    if verbose || report.announces || report.outcome != Outcome::Unchanged {
        for message in &report.messages {
            text.push_str(&indented("", message));
        }
    }
    for wait in report.waited.iter().filter(|wait| verbose || wait.elapsed >= MIN_SHOWN_DURATION) {
        text.push_str(&indented("waited ", &waited(wait)));
    }
    for warning in &report.warnings {
        text.push_str(&indented(&paint.paint(WARNING, "warning: "), warning));
    }
    if let Some(failure) = &report.failure {
        text.push_str(&failed(failure, paint, sources));
    }
    text
}

/// Returns whether the differences are those that a failed apply should have made.
fn is_not_made(report: &ResourceReport) -> bool {
    let stage = report.failure.as_ref().map(|failure| failure.stage);
    matches!(stage, Some(Stage::Apply | Stage::Refresh | Stage::CheckAfterApply))
}

/// Returns the sign before the line, its colour, and the outcome in words.
fn verdict(report: &ResourceReport) -> (&'static str, Style, String) {
    let (sign, style, word) = outcome(report.outcome);
    let words = match report.outcome {
        Outcome::Failed => failed_words(report).into(),
        Outcome::Skipped => skipped_words(report),
        Outcome::NotTaken => not_taken_words(report),
        Outcome::Unchanged if report.level == StatusLevel::WontChange => report.level.to_string(),
        Outcome::MayChange => may_change_words(word, report),
        _ => word.into(),
    };
    (sign, style, words)
}

fn failed_words(report: &ResourceReport) -> &'static str {
    match report.failure.as_ref().map(|failure| failure.stage) {
        _ if report.level == StatusLevel::CantChange => "can't change",
        None => "failed",
        Some(Stage::Render) => "could not be rendered",
        Some(Stage::Prepare) => "could not be prepared",
        Some(Stage::Check) => "could not be checked",
        Some(Stage::Apply) => "could not be applied",
        Some(Stage::Refresh) => "could not be refreshed",
        Some(Stage::CheckAfterApply) => "failed the check after its apply",
    }
}

/// Describes why a resource was skipped; the failure itself is shown only where it happened.
fn skipped_words(report: &ResourceReport) -> String {
    match &report.skipped {
        Some(skipped) => format!("skipped, because {} failed", sanitize_line(skipped.cause.short())),
        None => "skipped".into(),
    }
}

/// Describes a possible change with its causes, which are not repeated below.
fn may_change_words(word: &str, report: &ResourceReport) -> String {
    match &report.pending {
        Some(pending) => format!("{word}, depending on {}", sanitize_line(pending.short())),
        None => word.to_owned(),
    }
}

fn not_taken_words(report: &ResourceReport) -> String {
    match &report.skipped {
        Some(skipped) if skipped.cause == report.id => {
            format!("skipped: {}", sanitize_line(&skipped.reason))
        }
        Some(skipped) => format!(
            "skipped: {} was not taken: {}",
            sanitize_line(&branch(&skipped.cause)),
            sanitize_line(&skipped.reason)
        ),
        None => "skipped".into(),
    }
}

/// Returns the name of the case or module that was not taken.
fn branch(cause: &NodeId) -> String {
    match (cause.name().strip_prefix("case."), cause.parent()) {
        (Some("default"), Some(switch)) => format!("default of {}", switch.short()),
        (Some(name), Some(switch)) => format!("case {name:?} of {}", switch.short()),
        _ => cause.short().to_owned(),
    }
}

/// Formats the places of a failure in the module, or else the reason in words.
fn failed(failure: &Failure, paint: Paint, sources: &SourceMap) -> String {
    if failure.diagnostics.is_empty() {
        return indented(&paint.paint(ERROR, "error: "), &failure.message);
    }
    let rendered =
        failure.diagnostics.iter().map(|diagnostic| render::diagnostic(diagnostic, sources, paint.color));
    rendered.collect()
}

/// Indents each line of a text, putting `first` before the first one.
fn indented(first: &str, text: &str) -> String {
    let text = sanitize(text.trim_end_matches('\n'));
    let mut lines = text.split('\n');
    let mut indented = format!("  {first}{}\n", lines.next().unwrap_or_default());
    for line in lines {
        indented.push_str("  ");
        indented.push_str(line);
        indented.push('\n');
    }
    indented
}
