//! What the tests of editors share.

use proptest::prelude::*;

use super::{Edit, Edited, lines};

/// What an edit makes of a text, with what it says: `text | note`. It makes the same of what it made.
pub(crate) fn edited(edit: &impl Edit, text: &str) -> String {
    match edit.edit(text) {
        Ok(once) => match edit.edit(&once.text) {
            Ok(twice) if twice.text != once.text => format!("error: {}", edit.unsettled()),
            Ok(_) => {
                let Edited { text, notes } = once;
                [vec![text], notes].concat().join(" | ")
            }
            Err(reason) => format!("error of what it made: {reason}"),
        },
        Err(reason) => format!("error: {reason}"),
    }
}

/// The lines that are not meant are there after an edit as before, in their order and with their endings; only what was the last line
/// may get one.
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
    let (mut was, is) = (others(before), others(&after.text));
    if let (Some(was), Some(is)) = (was.last_mut(), is.last())
        && was.1.is_empty()
    {
        was.1.clone_from(&is.1);
    }
    prop_assert_eq!(was, is);
    Ok(())
}
