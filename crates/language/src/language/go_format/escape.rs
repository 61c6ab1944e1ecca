//! Escaping of text for HTML, JavaScript, URLs, JSON and Go source.

use std::fmt::Write;

/// Escapes text like Go's `HTMLEscapeString`.
pub(crate) fn html(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\0' => out.push('\u{fffd}'),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            _ => out.push(c),
        }
    }
}

/// Escapes text like Go's `JSEscapeString`.
pub(crate) fn js(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '"' => out.push_str("\\\""),
            '<' | '>' | '&' | '=' => escape_u(c, true, out),
            ' '..='\u{7f}' => out.push(c),
            _ if c >= ' ' && is_printable(c) => out.push(c),
            _ => escape_u(c, true, out),
        }
    }
}

/// Escapes text like Go's `url.QueryEscape`.
pub(crate) fn url_query(text: &str, out: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            b' ' => out.push('+'),
            _ => write_to(out, format_args!("%{byte:02X}")),
        }
    }
}

/// Writes a string like Go's JSON encoder.
pub(crate) fn json_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\x1f' => escape_u(c, false, out),
            _ => out.push(c),
        }
    }
    out.push('"');
}

/// Writes a string as a Go literal (`%q`); with `ascii`, only ASCII is used.
pub(crate) fn quote(text: &str, ascii: bool, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        quote_char(c, '"', ascii, out);
    }
    out.push('"');
}

/// Writes one character of a Go literal that is delimited by `mark`.
pub(crate) fn quote_char(c: char, mark: char, ascii: bool, out: &mut String) {
    match c {
        '\x07' => out.push_str("\\a"),
        '\x08' => out.push_str("\\b"),
        '\x0c' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\x0b' => out.push_str("\\v"),
        '\\' => out.push_str("\\\\"),
        c if c == mark => {
            out.push('\\');
            out.push(c);
        }
        c if c < ' ' || c == '\x7f' => write_to(out, format_args!("\\x{:02x}", u32::from(c))),
        c if c.is_ascii() || !ascii && is_printable(c) => out.push(c),
        c if u32::from(c) > 0xffff => write_to(out, format_args!("\\U{:08x}", u32::from(c))),
        c => escape_u(c, false, out),
    }
}

fn escape_u(c: char, upper: bool, out: &mut String) {
    let code = u32::from(c);
    if upper {
        write_to(out, format_args!("\\u{code:04X}"));
    } else {
        write_to(out, format_args!("\\u{code:04x}"));
    }
}

/// Writes formatted text; writing to a string cannot fail.
pub(crate) fn write_to(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Returns whether a character is printable according to the standard library, which agrees with Go.
pub(crate) fn is_printable(c: char) -> bool {
    let mut buffer = [b'a'; 5];
    let length = c.encode_utf8(&mut buffer[1..]).len();
    // The character follows a letter, because a combining mark is printable only after one.
    let text = std::str::from_utf8(&buffer[..=length]).unwrap_or_default();
    let mut escaped = text.escape_debug().skip(1);
    escaped.next() != Some('\\') || escaped.next() != Some('u')
}
