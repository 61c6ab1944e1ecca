//! Output for programs: one JSON object on each line.

use std::fmt::Write as _;

use converge_core::view::render::is_obeyed;
use serde::Serialize;

pub(crate) fn json_line(data: &impl Serialize) -> serde_json::Result<String> {
    let mut line = escaped(serde_json::to_string(data)?);
    line.push('\n');
    Ok(line)
}

/// Escapes all terminal control characters in JSON.
///
/// The meaning stays the same: such characters occur only in strings.
pub(crate) fn escaped(json: String) -> String {
    if !json.chars().any(is_obeyed) {
        return json;
    }
    let mut out = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_obeyed(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let line = json_line(&"a\x1b\u{7f}\u{9b}\u{202e}\u{e0041}é").unwrap();
        assert_eq!(line, "\"a\\u001b\\u007f\\u009b\\u202e\\udb40\\udc41é\"\n");
    }

    proptest! {
        #[test]
        fn it_means_the_same(text in any::<String>()) {
            let line = json_line(&text).unwrap();
            prop_assert!(!line.trim_end_matches('\n').contains(|c| is_obeyed(c) || c == '\n' || c == '\t'));
            prop_assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
        }
    }
}
