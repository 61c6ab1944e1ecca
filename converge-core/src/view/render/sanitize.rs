//! Text from machines and modules, made safe for a terminal.

use std::borrow::Cow;

/// Whether a terminal might act on the character instead of showing it: control characters, and marks
/// that turn the direction of the text around.
fn acts(character: char) -> bool {
    let turns =
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (character.is_control() && !matches!(character, '\n' | '\t'))
}

/// The text with every such character written as an escape: `\u{1b}`. Newlines and tabs stay.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(acts) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if acts(character) {
            safe.extend(character.escape_default());
        } else {
            safe.push(character);
        }
    }
    Cow::Owned(safe)
}

/// The same for what must stay on one line: newlines and tabs are escaped too.
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
    }
}
