//! The context of a position in a template.

use crate::syntax::decode;

/// A position inside `{{ }}`.
#[derive(Debug, PartialEq)]
pub(super) enum TemplateSpot<'t> {
    /// Inside quotes: the function whose first argument the text is, and the typed text.
    Literal { function: &'t str, written: &'t str },
    /// A word: the name before its dot, the typed text, and the full path typed so far.
    Word { of: Option<&'t str>, written: &'t str, path: &'t str },
}

/// Returns the decoded text of a string from its quote up to the cursor.
pub(super) fn text_before(raw: &str, is_quoted: bool) -> String {
    if is_quoted {
        // The closing quote is not typed yet, so one is added.
        return decode(&format!("{raw}\"")).into_owned();
    }
    raw.split_once('\n').map_or(String::new(), |(_, text)| text.to_owned())
}

/// Returns the context at the end of `text` if that is inside an action.
///
/// `is_action` says that the whole text is an action.
pub(super) fn spot(text: &str, is_action: bool) -> Option<TemplateSpot<'_>> {
    let mut rest = text;
    if is_action && !text.contains("{{") {
        return Some(in_action(text, open_quote(text).1));
    }
    loop {
        let (_, action) = rest.split_once("{{")?;
        match open_quote(action) {
            (Some(end), _) => rest = action.get(end..)?,
            (None, quote) => return Some(in_action(action, quote)),
        }
    }
}

/// Returns the end of an action, or else the offset of the quote that is open at the end.
fn open_quote(action: &str) -> (Option<usize>, Option<usize>) {
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (offset, c) in action.char_indices() {
        match open {
            Some((_, '"')) if escaped => escaped = false,
            Some((_, '"')) if c == '\\' => escaped = true,
            Some((_, quote)) if quote != c => {}
            Some(_) => open = None,
            None if matches!(c, '`' | '"' | '\'') => open = Some((offset, c)),
            None => {
                if action.get(offset..).is_some_and(|rest| rest.starts_with("}}")) {
                    return (Some(offset + 2), None);
                }
            }
        }
    }
    (None, open.map(|(at, _)| at))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Splits off the word at the end of a text; returns the rest and the word.
fn last_word(text: &str) -> (&str, &str) {
    text.split_at(text.trim_end_matches(is_word).len())
}

fn in_action(action: &str, quote: Option<usize>) -> TemplateSpot<'_> {
    if let Some(quote_offset) = quote {
        let (before, quoted) = action.split_at(quote_offset);
        let (_, function) = last_word(before.trim_end());
        return TemplateSpot::Literal { function, written: quoted.get(1..).unwrap_or_default() };
    }
    let (before, prefix) = last_word(action);
    let owner = before.strip_suffix('.').map(|before| last_word(before).1);
    let start = action.trim_end_matches(|c| is_word(c) || c == '.').len();
    TemplateSpot::Word { of: owner, written: prefix, path: action.get(start..).unwrap_or_default() }
}
