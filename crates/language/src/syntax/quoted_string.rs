//! Quoted strings by the rules of HCL 1: escapes of Go, and `${ .. }` kept as written.

use std::ops::Range;

use super::characters::ByteSet;
use super::error::{SyntaxError, SyntaxErrorKind};
use super::literal_piece::{Piece, verbatim};

/// The bytes of a string that may have a special meaning.
static SPECIAL: ByteSet = ByteSet::new(b"\"\n\\${}");

pub(super) struct QuotedScan {
    pub(super) end: usize,
    pub(super) escapes: bool,
    pub(super) problem: Option<SyntaxError>,
}

/// Finds the end of the string that begins at `start`.
///
/// Inside `${ }`, quotes and line ends are content. With `flat`, `${` is ordinary text.
pub(super) fn scan_quoted(text: &str, start: usize, flat: bool) -> QuotedScan {
    let bytes = text.as_bytes();
    let mut position = start + 1;
    let mut escapes = false;
    let mut braces = 0usize;
    let mut open = position;
    let scan = |end, escapes, problem| QuotedScan { end, escapes, problem };
    while let Some(&byte) = bytes.get(position) {
        match byte {
            plain if !SPECIAL.has(plain) => {}
            b'"' if braces == 0 => return scan(position + 1, escapes, None),
            b'\n' if braces == 0 => break,
            b'\\' => {
                escapes = true;
                // A backslash at the end of a line does not escape the line end.
                position += usize::from(bytes.get(position + 1).is_some_and(|b| !matches!(b, b'\n' | b'\r')));
            }
            b'$' if braces == 0 && !flat && bytes.get(position + 1) == Some(&b'{') => {
                open = position;
                braces = 1;
                position += 1;
            }
            b'{' if braces > 0 => braces += 1,
            b'}' if braces > 0 => braces -= 1,
            _ => {}
        }
        position += 1;
    }
    let line_end = |from: usize| {
        let line = text.get(from..).unwrap_or("");
        let length = line.find('\n').unwrap_or(line.len());
        from + line[..length].trim_end_matches('\r').len()
    };
    if braces > 0 {
        let end = line_end(open);
        let kind = SyntaxErrorKind::UnclosedInterpolation { open: open..open + 2 };
        return scan(end, escapes, Some(SyntaxError::new(end..end, kind)));
    }
    let end = position - usize::from(bytes[..position].ends_with(b"\r"));
    scan(end, escapes, Some(SyntaxError::new(start..end, SyntaxErrorKind::UnclosedString)))
}

/// Returns the first invalid escapes of a string, with their ranges in `raw`.
pub(super) fn check_escapes(raw: &str) -> Vec<(Range<usize>, SyntaxErrorKind)> {
    let mut problems = Vec::new();
    let mut high = false;
    let mut position = 0;
    while problems.len() < MAX_PROBLEMS
        && let Some(distance) = raw.get(position..).and_then(|rest| rest.find('\\'))
    {
        position += distance;
        match escape(&raw[position..]) {
            Ok((length, escaped)) => {
                high |= matches!(escaped, Escaped::Byte(0x80..));
                position += length;
            }
            Err((length, kind)) => {
                problems.push((position..position + length, kind));
                position += length;
            }
        }
    }
    if high && problems.is_empty() {
        let mut bytes = Vec::new();
        pieces(raw, |piece| bytes.extend_from_slice(piece.text(raw)));
        if std::str::from_utf8(&bytes).is_err() {
            problems.push((0..raw.len(), SyntaxErrorKind::NotUtf8));
        }
    }
    problems
}

/// The maximum number of errors for one string.
///
/// A string full of invalid escapes needs only one correction.
const MAX_PROBLEMS: usize = 10;

enum Escaped {
    /// A byte, not a character, from `\x` or an octal escape.
    Byte(u8),
    Char(char),
}

/// Parses the escape at the start of `rest`, and returns its length.
fn escape(rest: &str) -> Result<(usize, Escaped), (usize, SyntaxErrorKind)> {
    let Some(name) = rest.chars().nth(1) else {
        return Err((rest.len(), SyntaxErrorKind::UnknownEscape(rest.to_owned())));
    };
    let digits = |from: usize, count: usize, radix: u32| {
        let end = from + count;
        let number = rest
            .get(from..end)
            .filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, radix).ok());
        number.map(|number| (end, number)).ok_or_else(|| {
            let digit_count = rest[from..].bytes().take(count).take_while(u8::is_ascii_hexdigit).count();
            (from + digit_count, SyntaxErrorKind::UnknownEscape(rest[..from + digit_count].to_owned()))
        })
    };
    let simple = match name {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' => '\\',
        '"' => '"',
        '0'..='7' | 'x' => {
            let (end, number) = if name == 'x' { digits(2, 2, 16)? } else { digits(1, 3, 8)? };
            let byte = u8::try_from(number)
                .map_err(|_| (end, SyntaxErrorKind::EscapeRange(rest[..end].to_owned())))?;
            return Ok((end, Escaped::Byte(byte)));
        }
        'u' | 'U' => {
            let (end, number) = digits(2, if name == 'u' { 4 } else { 8 }, 16)?;
            let c = char::from_u32(number)
                .ok_or_else(|| (end, SyntaxErrorKind::EscapeRange(rest[..end].to_owned())))?;
            return Ok((end, Escaped::Char(c)));
        }
        other => {
            let length = 1 + other.len_utf8();
            return Err((length, SyntaxErrorKind::UnknownEscape(rest[..length].to_owned())));
        }
    };
    Ok((2, Escaped::Char(simple)))
}

/// Emits the pieces of a quoted string in order.
///
/// An invalid escape stands for itself.
pub(super) fn pieces(raw: &str, mut emit: impl FnMut(Piece)) {
    let end = raw.len() - usize::from(raw.len() > 1 && raw.ends_with('"'));
    let bytes = raw.as_bytes();
    let mut from = 1.min(end);
    let mut position = from;
    while position < end {
        if bytes[position] == b'$' && bytes.get(position + 1) == Some(&b'{') {
            let mut braces = 1usize;
            position += 2;
            while position < end && braces > 0 {
                match bytes[position] {
                    b'{' => braces += 1,
                    b'}' => braces -= 1,
                    _ => {}
                }
                position += 1;
            }
        } else if bytes[position] == b'\\' {
            match escape(&raw[position..end]) {
                Ok((length, escaped)) => {
                    verbatim(raw, from..position, &mut emit);
                    let raw = position..position + length;
                    emit(match escaped {
                        Escaped::Byte(byte) => Piece::byte(raw, byte),
                        Escaped::Char(c) => Piece::char(raw, c),
                    });
                    position += length;
                    from = position;
                }
                Err((length, _)) => position += length,
            }
        } else {
            position += 1;
        }
    }
    verbatim(raw, from..end, &mut emit);
}
