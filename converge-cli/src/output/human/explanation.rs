//! Explanation of the state, level and edges of a resource.

use std::fmt::Write as _;

use converge_core::StatusLevel;
use converge_core::engine::Outcome;
use converge_core::graph::Role;
use converge_core::view::explain::{Cause, Explanation, GateRecord, MetaRecord, Verdict, Wait};
use converge_core::view::json::{PlaceRecord, ThingRecord};
use converge_core::view::render::{sanitize, sanitize_line};

use super::difference::difference;
use super::outcome::outcome as outcome_words;
use crate::console::{ADD, BOLD, CHANGE, DIM, ERROR, Paint, WARNING};

pub(crate) fn explanation(explained: &Explanation<'_>, paint: Paint) -> String {
    let mut text = String::new();
    let name = paint.paint(BOLD, sanitize_line(explained.id.short()));
    let kind = match explained.role {
        Role::Resource | Role::Param | Role::Output => format!("a `{}`", explained.resource_type),
        Role::Module => "the end of a module".to_owned(),
        Role::Begin => "the beginning of a module".to_owned(),
        Role::Switch => "the end of a switch".to_owned(),
        Role::Case => "a case of a switch".to_owned(),
        Role::ForEach => "all instances of a `for_each`".to_owned(),
        // A later version of the graph may have other roles.
    };
    let declared = match &explained.place {
        Some(place) => format!("declared at {}", at(place)),
        None => format!("declared in {}", sanitize_line(explained.module)),
    };
    line(&mut text, 0, format_args!("{name} is {kind}, {declared}"));
    if let Some(description) = &explained.description {
        lines(&mut text, "", description);
    }
    verdict(&mut text, explained, paint);
    section(&mut text, "differences", &explained.causes, paint, cause);
    section(&mut text, "decided by", &explained.gates, paint, |text, gate, paint| decided(text, gate, paint));
    meta(&mut text, &explained.meta, paint);
    waits(&mut text, explained, paint);
    left_out(&mut text, explained, paint);
    dependents(&mut text, explained, paint);
    text
}

fn verdict(text: &mut String, explained: &Explanation<'_>, paint: Paint) {
    let Some(outcome) = explained.outcome else { return };
    let reason = match (outcome, explained.skipped) {
        (Outcome::Skipped, Some(skipped)) => {
            format!(", because {} failed: {}", skipped.cause.short(), skipped.reason)
        }
        (Outcome::NotTaken | Outcome::MayChange, Some(skipped)) => format!(": {}", skipped.reason),
        (Outcome::WillChange, _) => ": the machine is not as declared".to_owned(),
        (Outcome::MayChange, None) if explained.pending.is_some() => {
            let pending = explained.pending.map_or("", |pending| pending.short());
            format!(": its check needs values that are known only after an apply of {pending}")
        }
        (Outcome::MayChange, _) => ": known only after its dependencies have been applied".to_owned(),
        (Outcome::Unchanged, _) if explained.level == Some(StatusLevel::WontChange) => {
            ": what differs is not corrected".to_owned()
        }
        (Outcome::Unchanged, _) => ": nothing differs from what is declared".to_owned(),
        _ => String::new(),
    };
    let (_, style, words) = outcome_words(outcome);
    line(text, 1, format_args!("{}{}", paint.paint(style, words), sanitize_line(&reason)));
    for message in explained.messages {
        lines(text, "", message);
    }
    for warning in explained.warnings {
        lines(text, &paint.paint(WARNING, "warning: "), warning);
    }
    if let Some(failure) = &explained.failure {
        lines(text, &paint.paint(ERROR, "error: "), failure.message);
        let places = failure.diagnostics.iter().filter_map(|diagnostic| diagnostic.labels.first());
        for label in places {
            line(text, 2, format_args!("at {}", at(&label.place)));
        }
    }
}

fn cause(text: &mut String, cause: &Cause<'_>, paint: Paint) {
    text.push_str(&difference(cause.difference, paint));
    match (cause.difference.field.as_deref().filter(|_| cause.written), &cause.place) {
        (Some(field), Some(place)) => line(text, 2, format_args!("`{field}` is written at {}", at(place))),
        (None, Some(place)) => line(text, 2, format_args!("it comes from the resource at {}", at(place))),
        (_, None) => {}
    }
    for wait in &cause.through {
        let location = wait.place.as_ref().map(|place| format!(" at {}", at(place))).unwrap_or_default();
        let name = sanitize_line(wait.on.short());
        line(
            text,
            2,
            format_args!("not known, as the {}{location} reads {name}{}", wait.reason, which(wait, paint)),
        );
    }
}

fn which(wait: &Wait<'_>, paint: Paint) -> String {
    wait.outcome.map_or_else(String::new, |outcome| {
        let (_, style, words) = outcome_words(outcome);
        format!(", which {}", paint.paint(style, if words == "unchanged" { "is unchanged" } else { words }))
    })
}

fn decided(text: &mut String, gate: &GateRecord<'_>, paint: Paint) {
    let place = gate.place.as_ref().map(|place| format!(" at {}", at(place))).unwrap_or_default();
    let (style, words) = match &gate.verdict {
        Verdict::Taken => (ADD, "taken"),
        // The resource states the reason in the same words.
        Verdict::NotTaken { .. } => (DIM, "not taken"),
        Verdict::Undecided { .. } => (CHANGE, "known after apply"),
        _ => (DIM, "not asked"),
    };
    let name = sanitize_line(&gate.called);
    line(text, 1, format_args!("{name}{place}: {}", paint.paint(style, words)));
    if let Some(predicate) = &gate.predicate {
        line(text, 2, format_args!("when {}", sanitize_line(predicate)));
    }
}

fn meta(text: &mut String, meta: &MetaRecord<'_>, paint: Paint) {
    let mut rows = Vec::new();
    if let Some(group) = &meta.group {
        rows.push(format!("group: {}: one member runs at a time", sanitize_line(group)));
    }
    if let Some(condition) = &meta.when {
        let place = condition.place.as_ref().map(|place| format!(" at {}", at(place))).unwrap_or_default();
        rows.push(format!("when: {}{place}", sanitize_line(&condition.predicate)));
    }
    if let Some(timeout) = meta.timeout_seconds {
        rows.push(format!("timeout: {timeout}s"));
    }
    if let Some(retry) = &meta.retry {
        let (attempts, delay) = (retry.attempts, retry.delay_seconds);
        let grows = match retry.backoff {
            1.0 => String::new(),
            backoff => format!(", each wait {backoff} times the one before"),
        };
        rows.push(format!("retry: {attempts} attempts, {delay}s after the first{grows}"));
    }
    section(text, "meta-arguments", &rows, paint, |text, row, _| line(text, 1, row));
}

fn waits(text: &mut String, explained: &Explanation<'_>, paint: Paint) {
    let rows: Vec<[String; 3]> = explained
        .waits_for
        .iter()
        .map(|wait| {
            let place = wait.place.as_ref().map_or_else(String::new, at);
            let reason = match &wait.thing {
                Some(thing) => words(thing),
                None => wait.reason.to_string(),
            };
            [sanitize_line(wait.on.short()).into_owned(), reason, place]
        })
        .collect();
    let outcomes = explained.waits_for.iter().map(|wait| wait.outcome);
    table(text, "waits for", &rows, outcomes, paint);
}

/// Lists the inferred edges that were left out because the opposite order exists.
fn left_out(text: &mut String, explained: &Explanation<'_>, paint: Paint) {
    section(text, "does not wait for, as these wait for it", &explained.left_out, paint, |text, one, _| {
        line(text, 1, format_args!("{}  {}", sanitize_line(one.on.short()), words(&one.thing)));
    });
}

fn words(thing: &ThingRecord) -> String {
    format!("{} {}", thing.kind.replace('_', " "), sanitize_line(&thing.name))
}

fn dependents(text: &mut String, explained: &Explanation<'_>, paint: Paint) {
    let rows: Vec<[String; 2]> = explained
        .dependents
        .iter()
        .map(|dependent| {
            let reasons: Vec<String> = dependent.reasons.iter().map(ToString::to_string).collect();
            [sanitize_line(dependent.id.short()).into_owned(), reasons.join(", ")]
        })
        .collect();
    let outcomes = explained.dependents.iter().map(|dependent| dependent.outcome);
    table(text, "waited for by", &rows, outcomes, paint);
}

/// Formats rows of words in aligned columns, with an outcome at the end of each.
fn table<const N: usize>(
    text: &mut String,
    title: &str,
    rows: &[[String; N]],
    outcomes: impl Iterator<Item = Option<Outcome>>,
    paint: Paint,
) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let mut lines = Vec::with_capacity(rows.len());
    for (row, outcome) in rows.iter().zip(outcomes) {
        let mut line = String::new();
        for (word, width) in row.iter().zip(widths) {
            let _ = write!(line, "{word:width$}  ");
        }
        if let Some((_, style, words)) = outcome.map(outcome_words) {
            line.push_str(&paint.paint(style, words));
        }
        lines.push(line.trim_end().to_owned());
    }
    section(text, title, &lines, paint, |text, row, _| line(text, 1, row));
}

/// Writes a title and its content, or nothing if the content is empty.
fn section<T>(
    text: &mut String,
    title: &str,
    items: &[T],
    paint: Paint,
    each: impl Fn(&mut String, &T, Paint),
) {
    if items.is_empty() {
        return;
    }
    line(text, 0, format_args!("{}", paint.paint(BOLD, title)));
    for item in items {
        each(text, item, paint);
    }
}

fn line(text: &mut String, depth: usize, line: impl std::fmt::Display) {
    let _ = writeln!(text, "{}{line}", "  ".repeat(depth));
}

/// Writes a text with several lines, indented.
fn lines(text: &mut String, first: &str, message: &str) {
    let safe = sanitize(message.trim_end());
    for (index, line_text) in safe.lines().enumerate() {
        line(text, 1, format_args!("{}{line_text}", if index == 0 { first } else { "" }));
    }
}

fn at(place: &PlaceRecord<'_>) -> String {
    format!("{}:{}:{}", sanitize_line(place.file), place.line, place.column)
}
