//! Detection of probable values in text that cannot be parsed.

use crate::redact::Redactor;

/// Hides the probable values in a text: the words after the first `=` or `:` of each line.
pub(crate) fn hide_values(text: &str, redactor: &Redactor) {
    let values = text.lines().filter_map(|line| line.split_once(['=', ':']).map(|(_, values)| values));
    for word in
        values.flat_map(|values| values.split([' ', '\t', '"', '`', ',', '{', '}', '(', ')', '[', ']']))
    {
        redactor.hide(word);
    }
}
