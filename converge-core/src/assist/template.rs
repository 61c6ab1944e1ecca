//! What a place in a template is.

use crate::syntax::decode;

/// A place inside `{{ }}`.
#[derive(Debug, PartialEq)]
pub(super) enum TemplateSpot<'t> {
    /// Inside quotes: the function whose first argument it is, and what is written of it.
    Literal { function: &'t str, written: &'t str },
    /// A word: what it belongs to when a dot is before it, and what is written of it.
    Word { of: Option<&'t str>, written: &'t str },
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
        return in_action(text);
    }
    loop {
        let (_, action) = rest.split_once("{{")?;
        match end_of_action(action) {
            Some(end) => rest = action.get(end..)?,
            None => return in_action(action),
        }
    }
}

/// Where what follows an action begins; `None` when it does not end.
fn end_of_action(action: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in action.char_indices() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if open == c => quote = None,
            Some(_) => {}
            None if matches!(c, '`' | '"' | '\'') => quote = Some(c),
            None if action.get(at..).is_some_and(|rest| rest.starts_with("}}")) => return Some(at + 2),
            None => {}
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn in_action(action: &str) -> Option<TemplateSpot<'_>> {
    let mut open = None;
    for (at, c) in action.char_indices() {
        match open {
            Some((_, quote)) if quote == c => open = None,
            Some(_) => {}
            None if matches!(c, '`' | '"' | '\'') => open = Some((at, c)),
            None => {}
        }
    }
    if let Some((at, _)) = open {
        let before = action.get(..at)?.trim_end();
        let function = before.get(before.trim_end_matches(is_word).len()..)?;
        return Some(TemplateSpot::Literal { function, written: action.get(at + 1..)? });
    }
    let start = action.trim_end_matches(is_word).len();
    let (before, written) = action.split_at(start);
    let of = before.strip_suffix('.').map(|before| {
        let start = before.trim_end_matches(is_word).len();
        before.get(start..).unwrap_or_default()
    });
    Some(TemplateSpot::Word { of, written })
}
