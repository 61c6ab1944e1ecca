//! The differences that a status reports.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::events::difference::Difference;
use crate::events::report::Stage;
use crate::sdk::error::Error;
use crate::sdk::status::{Diff, DiffValue, Status, TaskStatus};
use crate::types::schema::Schema;

pub(super) fn failed_status(error: Error) -> Status {
    let mut status = Status::new();
    status.set_error(error);
    status
}

/// Returns the status of the check with the error, messages and warnings of a failed apply.
pub(super) fn failed_with(mut checked: Status, status: &Status, error: Error) -> Status {
    status.messages().into_iter().for_each(|message| checked.add_message(message));
    status.warnings().into_iter().for_each(|warning| checked.add_warning(warning));
    checked.set_error(error);
    checked
}

/// Returns the differences of a status, each with the field that its name begins with.
pub(crate) fn differences(status: &Status, schema: &Schema) -> Vec<Difference> {
    let field = |name: &str| {
        let name = name.split_once('.').map_or(name, |(field, _)| field);
        schema.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)).map(|field| field.name)
    };
    let difference = |(name, diff): (&str, &dyn Diff)| Difference {
        field: field(name).map(Cow::Borrowed),
        changes: diff.changes(),
        ..Difference::new(name, diff.before(), diff.after())
    };
    status.diffs().into_iter().map(difference).collect()
}

/// Replaces the differences expected by the check with those that the apply reports.
pub(super) fn amend(expected: &mut Vec<Difference>, differences: Vec<Difference>) {
    if differences.is_empty() {
        return;
    }
    let places = expected.iter().enumerate().map(|(at, difference)| (difference.name.clone(), at));
    let places: HashMap<String, usize> = places.collect();
    for difference in differences {
        match places.get(&difference.name).and_then(|index| expected.get_mut(*index)) {
            Some(place) => *place = difference,
            None => expected.push(difference),
        }
    }
}

fn or_empty(value: &DiffValue) -> String {
    if *value == "".into() { "\"\"".to_owned() } else { value.to_string() }
}

pub(crate) fn add_new(have: &mut Vec<String>, new: &[&str]) {
    if new.is_empty() {
        return;
    }
    let old_texts: HashSet<String> = have.iter().cloned().collect();
    have.extend(new.iter().filter(|text| !old_texts.contains(**text)).map(|text| (*text).to_owned()));
}

pub(super) fn still_differs(status: &Status, after: Stage) -> String {
    let word = if after == Stage::Refresh { "refresh" } else { "apply" };
    let left: String =
        status.diffs().iter().filter(|(_, diff)| diff.changes()).fold(String::new(), |text, (name, diff)| {
            format!("{text}\n  {name}: {} -> {}", or_empty(&diff.before()), or_empty(&diff.after()))
        });
    format!("still has changes after {word}{left}")
}
