//! What a place in a template is.

use crate::syntax::decode;

/// A place inside `{{ }}`.
#[derive(Debug, PartialEq)]
pub(super) enum TemplateSpot<'t> {
    /// Inside quotes: the function whose first argument it is, and what is written of it.
    Literal { function: &'t str, written: &'t str },
    /// A word: what it belongs to when a dot is before it, what is written of it, and of all names before it with that.
    Word { of: Option<&'t str>, written: &'t str, path: &'t str },
}

/// The text of a string up to a place: what is between its quote and that, with escapes decoded.
pub(super) fn text_before(raw: &str, is_quoted: bool) -> String {
    if is_quoted {
        // The quote at the end is the one that is not written yet.
        return decode(&format!("{raw}\"")).into_owned();
    }
    raw.split_once('\n').map_or(String::new(), |(_, text)| text.to_owned())
}

/// What the end of `text` is, when that is inside an action. `is_action` says that all of it is one.
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

/// Where what follows an action begins, if it ends, and else the quote that is open at the end of the text.
fn open_quote(action: &str) -> (Option<usize>, Option<usize>) {
    let mut open: Option<(usize, char)> = None;
    let mut escaped = false;
    for (at, c) in action.char_indices() {
        match open {
            Some((_, '"')) if escaped => escaped = false,
            Some((_, '"')) if c == '\\' => escaped = true,
            Some((_, quote)) if quote != c => {}
            Some(_) => open = None,
            None if matches!(c, '`' | '"' | '\'') => open = Some((at, c)),
            None => {
                if action.get(at..).is_some_and(|rest| rest.starts_with("}}")) {
                    return (Some(at + 2), None);
                }
            }
        }
    }
    (None, open.map(|(at, _)| at))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The word at the end of a text, and what is before it.
fn last_word(text: &str) -> (&str, &str) {
    text.split_at(text.trim_end_matches(is_word).len())
}

fn in_action(action: &str, quote: Option<usize>) -> TemplateSpot<'_> {
    if let Some(at) = quote {
        let (before, quoted) = action.split_at(at);
        let (_, function) = last_word(before.trim_end());
        return TemplateSpot::Literal { function, written: quoted.get(1..).unwrap_or_default() };
    }
    let (before, written) = last_word(action);
    let of = before.strip_suffix('.').map(|before| last_word(before).1);
    let start = action.trim_end_matches(|c| is_word(c) || c == '.').len();
    TemplateSpot::Word { of, written, path: action.get(start..).unwrap_or_default() }
}
