//! Percent encoding of texts in URLs.

use std::fmt::Write as _;

/// Encodes a text as one segment of a path or a query.
pub(super) fn percent_encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'~' => out.push(char::from(byte)),
            // A segment of dots only would change the path.
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
        out
    })
}
