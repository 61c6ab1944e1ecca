//! Texts in URLs.

use std::fmt::Write as _;

/// A text that means nothing but itself in a path or a query.
pub(super) fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(char::from(byte)),
            // A name of dots would be a step in the path.
            _ => {
                // Writing to text does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    })
}
