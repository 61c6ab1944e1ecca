//! The last filter before a terminal: only the colour sequences of this program pass.
//!
//! Values are made safe and readable where they are put into a line. This filter catches what was forgotten
//! there.

use std::borrow::Cow;
use std::io::{self, Write};

use converge_core::view::render::is_obeyed;

/// Escapes all terminal control sequences in a text except for colours.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut from = 0;
    let mut open = text;
    while let Some((at, character)) = open.char_indices().find(|(_, character)| is_obeyed(*character)) {
        let start = text.len() - open.len() + at;
        let after = start + character.len_utf8();
        let rest = text.get(after..).unwrap_or_default();
        if let Some(length) = color(character, rest) {
            open = rest.get(length..).unwrap_or_default();
            continue;
        }
        out.push_str(text.get(from..start).unwrap_or_default());
        out.extend(character.escape_default());
        (from, open) = (after, rest);
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns the length of the rest of an escape sequence that changes colour or weight.
///
/// Hidden or blinking text is not accepted: this program does not write it.
fn color(escape: char, rest: &str) -> Option<usize> {
    let numbers = rest.strip_prefix('[').filter(|_| escape == '\x1b')?;
    let end = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let (numbers, rest) = numbers.split_at(end);
    let is_ours = |number: &str| {
        number.is_empty()
            || number
                .parse()
                .is_ok_and(|number: u8| matches!(number, 0..=4 | 22..=24 | 30..=37 | 39 | 90..=97))
    };
    (rest.starts_with('m') && numbers.split(';').all(is_ours)).then_some(end + 2)
}

/// A writer that passes text through [`safe`]. Each write is a separate text.
#[derive(Debug)]
pub(crate) struct SafeWriter<W>(pub(crate) W);

impl<W: Write> Write for SafeWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(safe(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn colours_pass_and_nothing_else() {
        let check = |text: &str, expect: &str| assert_eq!(safe(text), expect, "{text:?}");
        check("plain é\n\t", "plain é\n\t");
        check("\x1b[1m\x1b[31mred\x1b[0m", "\x1b[1m\x1b[31mred\x1b[0m");
        check("\x1b[1;32mgreen\x1b[m", "\x1b[1;32mgreen\x1b[m");
        check("\x1b[8mhidden", "\\u{1b}[8mhidden");
        check("\x1b[2J\x1b]0;title\x07", "\\u{1b}[2J\\u{1b}]0;title\\u{7}");
        check("a\x1b", "a\\u{1b}");
        check("\x1b[31", "\\u{1b}[31");
        check("\u{9b}31m", "\\u{9b}31m");
        check("a\u{202e}b\x1b[31mc\rd", "a\\u{202e}b\x1b[31mc\\rd");
    }

    /// Removes colour sequences from a text.
    fn without_colors(text: &str) -> String {
        let mut parts = text.split('\x1b');
        let first = parts.next().unwrap_or_default().to_owned();
        parts
            .fold(first, |all, part| all + &part[color('\x1b', part).expect("an escape that is no colour")..])
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_safe(pieces in prop::collection::vec(
            prop_oneof![any::<String>(), Just("\x1b[".to_owned()), Just("31;".to_owned()), Just("m".to_owned()),
                any::<char>().prop_map(String::from), Just("\u{9b}".to_owned())], 0..20)) {
            let text = pieces.concat();
            let output = safe(&text);
            prop_assert!(!without_colors(&output).chars().any(is_obeyed), "{output:?}");
            prop_assert_eq!(safe(&output), output.as_ref());
        }
    }
}
