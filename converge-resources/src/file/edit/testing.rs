//! Helpers for the tests of editors.

use std::sync::Arc;

use converge_sdk::prelude::*;
use converge_sdk::system::{ModelSystem, System};
use proptest::prelude::*;

use super::{Edit, Edited, lines};
use crate::testing::{Written, apply, plan};

/// Returns the result of an edit with its notes: `text | note`.
///
/// The edit has to leave its own result unchanged.
pub(crate) fn edited(edit: &impl Edit, text: &str) -> String {
    match edit.edit(text) {
        Ok(first) => match edit.edit(&first.text) {
            Ok(twice) if twice.text != first.text => format!("error: {}", edit.unsettled()),
            Ok(_) => {
                let Edited { text, notes } = first;
                [vec![text], notes].concat().join(" | ")
            }
            Err(reason) => format!("error of what it made: {reason}"),
        },
        Err(reason) => format!("error: {reason}"),
    }
}

/// Checks that an edit keeps all lines for which `is_meant` is false.
///
/// Their order and endings have to stay. Only a line that was the last one may get an ending.
pub(crate) fn untouched(
    edit: &impl Edit,
    before: &str,
    is_meant: impl Fn(&str) -> bool,
) -> Result<(), TestCaseError> {
    let Ok(after) = edit.edit(before) else { return Ok(()) };
    let others = |text: &str| -> Vec<(String, String)> {
        let others = lines::lines(text).into_iter().filter(|line| !is_meant(line.body));
        others.map(|line| (line.body.to_owned(), line.ending.to_owned())).collect()
    };
    let (mut old, new) = (others(before), others(&after.text));
    if let (Some(old), Some(new)) = (old.last_mut(), new.last())
        && old.1.is_empty()
    {
        old.1.clone_from(&new.1);
    }
    prop_assert_eq!(old, new);
    Ok(())
}

/// Returns the fields of an editor of the file at `destination`.
pub(crate) fn at(destination: &str, fields: Written<'_>) -> Vec<(&'static str, Value)> {
    [("destination", Value::from(destination))].into_iter().chain(fields.iter().cloned()).collect()
}

/// Applies an editor, checks that a plan has no more changes, and returns the content of the file.
pub(crate) async fn settled<R: Resource>(
    model: &Arc<ModelSystem>,
    destination: &str,
    more: Written<'_>,
) -> String {
    let system: Arc<dyn System> = Arc::clone(model) as _;
    let values = at(destination, more);
    apply::<R>(&system, &values).await;
    assert_eq!(plan::<R>(&system, &values).await, "no change", "{values:?}");
    String::from_utf8_lossy(model.machine().file(destination).unwrap()).into_owned()
}
