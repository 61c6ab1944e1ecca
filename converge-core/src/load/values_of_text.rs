//! What seems to be a value in a text that nobody could read.

use crate::redact::Redactor;

/// Hides what is written as values in a text that may be broken: the words after the first `=` or `:` of each line.
pub(super) fn hide_values(text: &str, redactor: &Redactor) {
    let values = text.lines().filter_map(|line| line.split_once(['=', ':']).map(|(_, values)| values));
    for word in
        values.flat_map(|values| values.split([' ', '\t', '"', '`', ',', '{', '}', '(', ')', '[', ']']))
    {
        redactor.hide(word);
    }
}
