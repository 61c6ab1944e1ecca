//! The forms that a secret takes on its way to the output.

use std::fmt::Write as _;

/// A line of a secret with fewer characters is not looked for by itself: `done` and `else:` are no secrets.
const SHORTEST_LINE: usize = 8;

/// What `base64` writes, and the form of it that URLs take.
const ALPHABETS: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// What stands for itself everywhere in a URL.
const UNRESERVED: &str = "-._~";

/// What also stands for itself in most of its parts.
const RESERVED: &str = "-._~!$&'()*+,;=:@/?";

/// A secret, the parts of it that are quoted by themselves, and what each looks like where it is escaped.
pub(super) fn of(secret: &str) -> Vec<String> {
    let mut parts = vec![secret, secret.trim()];
    let lines = secret.trim().lines();
    if lines.clone().nth(1).is_some() {
        parts.extend(lines.map(str::trim).filter(|line| line.chars().nth(SHORTEST_LINE - 1).is_some()));
    }
    parts.dedup();
    let mut forms: Vec<String> = parts.iter().flat_map(|part| escaped(part)).collect();
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn escaped(part: &str) -> Vec<String> {
    let mut forms = vec![
        part.to_owned(),
        json(part, |character| character < ' '),
        json(part, |character| character < ' ' || !character.is_ascii()),
        part.escape_debug().to_string(),
        inside_quotes(&format!("{part:?}")).to_owned(),
        part.escape_default().to_string(),
        part.replace('\'', r"'\''"),
        part.replace('\'', r#"'"'"'"#),
        backslashed(part),
    ];
    for literal in [UNRESERVED, RESERVED] {
        let upper = percent(part, literal);
        forms.push(upper.with_small_letters());
        forms.push(upper.0.replace("%20", "+"));
        forms.push(upper.0);
    }
    for alphabet in ALPHABETS {
        // What stands before it moves its bits.
        forms.extend((0..3).map(|before| base64(part.as_bytes(), before, alphabet)));
    }
    forms
}

fn inside_quotes(quoted: &str) -> &str {
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(quoted)
}

/// As inside of the quotes of JSON, where these characters are written as numbers.
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

/// As a shell takes it without quotes.
fn backslashed(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii() && !character.is_ascii_alphanumeric() && !"-_./:@%+=,".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Text for a URL, with `%2F` in large letters.
struct Percent(String);

impl Percent {
    fn with_small_letters(&self) -> String {
        let mut lower = String::with_capacity(self.0.len());
        let mut escape = 0;
        for character in self.0.chars() {
            lower.push(if escape > 0 { character.to_ascii_lowercase() } else { character });
            escape = if character == '%' { 2_usize } else { escape.saturating_sub(1) };
        }
        lower
    }
}

fn percent(text: &str, literal: &str) -> Percent {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || literal.as_bytes().contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    Percent(escaped)
}

/// What is sure to be in base64 of a text in which so many bytes (of three) stand before this part.
fn base64(part: &[u8], before: usize, alphabet: &[u8; 64]) -> String {
    // So many of its first bits are in one digit with what stands before.
    let mut shared = (6 - before * 8 % 6) % 6;
    let mut digits = String::with_capacity(part.len() * 8 / 6);
    let (mut bits, mut count) = (0_usize, 0_usize);
    for byte in part {
        bits = bits << 8 | usize::from(*byte);
        count += 8 - std::mem::take(&mut shared);
        while count >= 6 {
            count -= 6;
            digits.push(char::from(alphabet[bits >> count & 63]));
        }
        // Those that are a part of the next digit.
        bits &= 63;
    }
    digits
}
