//! Sanitizing of text from machines and modules for terminals.

use std::borrow::Cow;

/// Whether a terminal might interpret the character, or hide it.
///
/// These are control characters except newline and tab, marks that change the text direction, and invisible
/// characters without a width.
pub fn is_obeyed(character: char) -> bool {
    match character {
        '\n' | '\t' | ' '..='~' => false,
        _ if character.is_control() => true,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Replaces such characters with escapes like `\u{1b}`. Newlines and tabs stay.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_obeyed(character) {
            safe.extend(character.escape_default());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// Sanitizes text that must stay on one line: newlines and tabs are escaped too.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    match sanitize(text) {
        safe if safe.contains(['\n', '\t']) => safe.replace('\n', "\\n").replace('\t', "\\t").into(),
        safe => safe,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_acts_on_is_escaped() {
        let check = |text: &str, expect: &str, line: &str| {
            assert_eq!((&*sanitize(text), &*sanitize_line(text)), (expect, line), "{text:?}");
        };
        check("plain é 日本", "plain é 日本", "plain é 日本");
        check("a\n\tb", "a\n\tb", "a\\n\\tb");
        check("\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m");
        check("over\rwrite\x07\x08", "over\\rwrite\\u{7}\\u{8}", "over\\rwrite\\u{7}\\u{8}");
        check("\u{9b}2J \u{7f}", "\\u{9b}2J \\u{7f}", "\\u{9b}2J \\u{7f}");
        check("user\u{202e}txt", "user\\u{202e}txt", "user\\u{202e}txt");
        check(
            "pay\u{200b}pal\u{ad}\u{feff}",
            "pay\\u{200b}pal\\u{ad}\\u{feff}",
            "pay\\u{200b}pal\\u{ad}\\u{feff}",
        );
        check("a\u{2028}b\u{e0041}", "a\\u{2028}b\\u{e0041}", "a\\u{2028}b\\u{e0041}");
    }
}
