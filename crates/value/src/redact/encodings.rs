//! The encodings in which a secret may appear in output.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::GeneralPurpose;
use base64::prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};

/// The minimum number of characters of a line that is searched for by itself.
///
/// Shorter lines, such as `done` and `else:`, are not secret.
const SHORTEST_LINE: usize = 8;

/// Characters, beside letters and digits, that are never escaped in a URL.
const UNRESERVED: &[u8] = b"-._~";

/// Characters that are not escaped in most parts of a URL.
const RESERVED: &[u8] = b"-._~!$&'()*+,;=:@/?";

const LARGE_DIGITS: &[u8; 16] = b"0123456789ABCDEF";
const SMALL_DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Calls `visit` with each form of a secret.
///
/// The forms are the secret, parts of it that may occur alone, and their encodings. A form may be visited
/// more than once. Forms are not collected, because their total size is a multiple of the secret's.
pub(super) fn visit_forms(secret: &str, mut visit: impl FnMut(&[u8])) {
    let trimmed_secret = secret.trim();
    let mut buffer = Vec::new();
    visit_encodings(secret, &mut buffer, &mut visit);
    if trimmed_secret.len() < secret.len() {
        visit_encodings(trimmed_secret, &mut buffer, &mut visit);
    }
    let lines = trimmed_secret.lines();
    if lines.clone().nth(1).is_some() {
        let lines = lines.map(str::trim).filter(|line| line.chars().nth(SHORTEST_LINE - 1).is_some());
        lines.for_each(|line| visit_encodings(line, &mut buffer, &mut visit));
    }
}

/// Calls `visit` with all encodings of a part; `buffer` is reused for the frequent ones.
fn visit_encodings(part: &str, buffer: &mut Vec<u8>, visit: &mut impl FnMut(&[u8])) {
    visit(part.as_bytes());
    if !part.bytes().all(is_plain_in_quotes) {
        let quoted = [
            json(part, |character| character < ' '),
            json(part, |character| character < ' ' || !character.is_ascii()),
            part.escape_debug().to_string(),
            inside_quotes(&format!("{part:?}")).to_owned(),
            part.escape_default().to_string(),
            part.replace('\'', r"'\''"),
            part.replace('\'', r#"'"'"'"#),
        ];
        for form in &quoted {
            visit(form.as_bytes());
        }
    }
    if !part.bytes().all(is_never_escaped) {
        backslashed(part, buffer);
        visit(buffer);
        for literal in [UNRESERVED, RESERVED] {
            for (digits, space) in [(LARGE_DIGITS, "%20"), (LARGE_DIGITS, "+"), (SMALL_DIGITS, "%20")] {
                percent(part, literal, digits, space, buffer);
                visit(buffer);
            }
        }
    }
    // The number of preceding bytes shifts the bits of the part.
    for before in 0..3 {
        let [standard, for_url] = [BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD]
            .map(|alphabet| base64(&alphabet, part.as_bytes(), before));
        visit(&standard);
        if for_url != standard {
            visit(&for_url);
        }
    }
}

/// Returns whether a byte is the same in every encoding except base64.
fn is_never_escaped(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

/// Returns whether a byte is the same inside all kinds of quotes.
fn is_plain_in_quotes(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\'' | b'\\')
}

fn inside_quotes(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted)
}

/// Escapes text for JSON, with the characters that `as_number` accepts as `\u` escapes.
fn json(text: &str, as_number: impl Fn(char) -> bool) -> String {
    let mut json = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            other if as_number(other) => {
                for unit in other.encode_utf16(&mut [0; 2]) {
                    // Writing to a string cannot fail.
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
            other => json.push(other),
        }
    }
    json
}

/// Escapes text for a shell without quotes.
fn backslashed(text: &str, escaped: &mut Vec<u8>) {
    escaped.clear();
    for byte in text.bytes() {
        if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"-_./:@%+=,".contains(&byte) {
            escaped.push(b'\\');
        }
        escaped.push(byte);
    }
}

fn percent(text: &str, literal: &[u8], digits: &[u8; 16], space: &str, escaped: &mut Vec<u8>) {
    escaped.clear();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || literal.contains(&byte) {
            escaped.push(byte);
        } else if byte == b' ' {
            escaped.extend_from_slice(space.as_bytes());
        } else {
            let [high, low] = [byte >> 4, byte & 15].map(|digit| digits[usize::from(digit)]);
            escaped.extend([b'%', high, low]);
        }
    }
}

/// Returns the base64 digits that depend only on the part, with `before` (0 to 2) bytes in front of it.
fn base64(alphabet: &GeneralPurpose, part: &[u8], before: usize) -> Vec<u8> {
    let bytes = [&[0; 2][..before], part].concat();
    let mut digits = alphabet.encode(&bytes).into_bytes();
    // The digits at both ends may share their bits with other bytes.
    digits.truncate(bytes.len() * 8 / 6);
    digits.drain(..digits.len().min((before * 8).div_ceil(6)));
    digits
}
