//! The law that secrets are never shown.

use std::fmt::Write as _;

use super::super::case::{Case, Values};
use super::super::field_values::problems;
use super::super::runner::{Breach, Runner, Tried, Verdict};
use crate::redact::Redactor;
use crate::sdk::error::Error;
use crate::sdk::resource::Resource;
use crate::sdk::status::{Status, TaskStatus};
use crate::types::schema::{Field, find_field};
use crate::types::value::Value;

/// A text that occurs nowhere else, in lower case letters only so that fields for names accept it.
const CANARY: &str = "qzcanaryxwvkjq";

/// The place name for the `Debug` output of a task.
const PRINTED: &str = "what `Debug` prints of the task, as logs and panics do";

/// The number of letters of the canary that are too many to match by accident.
const PART: usize = 7;

pub(super) async fn are_not_shown<R: Resource>(runner: &Runner<'_>, case: &Case) -> Verdict {
    let fields = R::block().fields;
    for index in 0..case.values.len() {
        let Some((name, value)) = case.values.get(index) else { continue };
        let Some((_, field)) = find_field(&fields, name) else { continue };
        let Some(canary) = with_canary(value) else { continue };
        let mut values = case.values.clone();
        values[index].1 = canary.clone().into_secret();
        // Invalid values are tried too, because their error is shown.
        let valid = problems::<R>(&values).is_ok_and(|problems| problems.is_empty());
        // The engine redacts known secrets from all output, and a task may add secrets that it learns.
        let redactor = Redactor::new();
        redactor.hide_value(&canary);
        let texts = shown::<R>(runner, &Case { values, ..case.clone() }, &redactor).await?;
        if let Some(place) = leak(&texts, &redactor, field) {
            let suffix = if valid { "" } else { " (which is not valid)" };
            return Err(Breach(format!("a secret in `{name}`{suffix} is shown in {place}")));
        }
    }
    Ok(Tried::Yes)
}

fn with_canary(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => Some(Value::from(format!("{text}{CANARY}"))),
        Value::List(items) => {
            let last = with_canary(items.last()?)?;
            Some(Value::List(items.iter().take(items.len() - 1).cloned().chain([last]).collect()))
        }
        Value::Map(items) => {
            let (name, last) = items.iter().next_back()?;
            let last = with_canary(last)?;
            let mut items = items.clone();
            items.insert(name.clone(), last);
            Some(Value::Map(items))
        }
        _ => None,
    }
}

/// A wrapper that prints a task with `Debug` if the task has it; [`NoDebug`] is the fallback.
#[derive(Debug)]
pub struct Printed<'t, T>(pub &'t T);

impl<T: std::fmt::Debug> Printed<'_, T> {
    /// Returns the `Debug` output.
    pub fn text(&self) -> Option<String> {
        Some(format!("{:?}", self.0))
    }
}

/// The fallback of [`Printed`] for tasks without `Debug`.
pub trait NoDebug {
    /// Returns `None`.
    fn text(&self) -> Option<String> {
        None
    }
}

impl<T> NoDebug for Printed<'_, T> {}

/// Returns every text that a run shows, with a description of its place.
async fn shown<R: Resource>(
    runner: &Runner<'_>,
    case: &Case,
    redactor: &Redactor,
) -> Result<Vec<(&'static str, String)>, Breach> {
    let mut texts = Vec::new();
    let host = runner.host::<R>(case).await?;
    let values: &Values = &case.values;
    for cx in [host.plan(), host.plan_behind(), host.apply()] {
        let cx = cx.with_redactor(redactor.clone());
        let mut task = match runner.prepare::<R>(&host, &cx, values).await? {
            Ok(task) => task,
            Err(error) => {
                add_error(&mut texts, &error);
                continue;
            }
        };
        texts.extend(runner.printed(&task).map(|text| (PRINTED, text)));
        let checked = runner.check::<R>(&host, &cx, &mut task).await?;
        texts.extend(runner.printed(&task).map(|text| (PRINTED, text)));
        add(&mut texts, &checked);
        if checked.is_ok() && cx.mode() == crate::sdk::context::RunMode::Apply {
            let applied = runner.apply::<R>(&host, &cx, &mut task).await?;
            add(&mut texts, &applied);
            add(&mut texts, &runner.check::<R>(&host, &cx, &mut task).await?);
        }
    }
    for event in host.progress.take() {
        texts.push(("the progress", format!("{event:?}")));
    }
    Ok(texts)
}

fn add(texts: &mut Vec<(&'static str, String)>, result: &Result<Status, Error>) {
    let status = match result {
        Ok(status) => status,
        Err(error) => return add_error(texts, error),
    };
    for (name, diff) in status.diffs() {
        texts.push(("the name of a difference", name.to_owned()));
        texts.push(("a difference", format!("{} -> {}", diff.before(), diff.after())));
    }
    texts.extend(status.messages().into_iter().map(|text| ("a message", text.to_owned())));
    texts.extend(status.warnings().into_iter().map(|text| ("a warning", text.to_owned())));
    texts.push(("the status as `Debug` prints it", format!("{status:?}")));
}

fn add_error(texts: &mut Vec<(&'static str, String)>, error: &Error) {
    let mut text = String::new();
    let mut next: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = next {
        let _ = write!(text, "{error}\n{error:?}\n");
        next = error.source();
    }
    texts.push(("an error", text));
}

/// Returns the place where the canary, or a part of it, is shown.
///
/// A field declared sensitive must not show the canary even before redaction.
fn leak(texts: &[(&'static str, String)], redactor: &Redactor, field: &Field) -> Option<String> {
    texts.iter().find_map(|(place, text)| {
        let visible = if field.sensitive { text.clone() } else { redactor.redact(text).into_owned() };
        let lower = visible.to_lowercase();
        let parts = (0..=CANARY.len() - PART).map(|offset| &CANARY[offset..offset + PART]);
        let mut parts = parts.filter(|part| lower.contains(part));
        let offset = lower.find(parts.next()?)?;
        let from = visible.floor_char_boundary(offset.saturating_sub(30));
        let to = visible.floor_char_boundary((offset + 40).min(visible.len()));
        let piece = visible.get(from..to).unwrap_or_default();
        Some(format!("{place}: {piece:?}"))
    })
}
