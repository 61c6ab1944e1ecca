//! The values of literals: strings with Go's escapes, characters and numbers.

use super::tree::ExprKind;
use crate::language::error::LanguageErrorKind;

/// Returns the text of a literal in double or single quotes.
pub(super) fn unquote(literal: &str, quote: char) -> Result<String, LanguageErrorKind> {
    let inner = literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(backslash) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..backslash]);
        let escape = &rest[backslash..];
        let length = read_escape(escape, quote, &mut bytes).ok_or_else(|| {
            let text: String = escape.chars().take(2).collect();
            LanguageErrorKind::invalid(format!("`{text}` is not an escape that a string can hold"))
        })?;
        rest = &escape[length..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    // In Go `\xff` is one byte. Text here is always UTF-8, so a lone byte becomes U+FFFD.
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn read_escape(escape: &str, quote: char, out: &mut Vec<u8>) -> Option<usize> {
    let mut chars = escape.chars();
    let kind = chars.nth(1)?;
    let simple = match kind {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' => b'\\',
        '\'' | '"' if kind == quote => kind as u8,
        '0'..='7' => {
            out.push(u8::try_from(digits(escape, 1, 3, 8)?).ok()?);
            return Some(4);
        }
        'x' => {
            out.push(u8::try_from(digits(escape, 2, 2, 16)?).ok()?);
            return Some(4);
        }
        'u' | 'U' => {
            let length = if kind == 'u' { 4 } else { 8 };
            let c = char::from_u32(digits(escape, 2, length, 16)?)?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(2 + length);
        }
        _ => return None,
    };
    out.push(simple);
    Some(2)
}

fn digits(text: &str, from: usize, length: usize, radix: u32) -> Option<u32> {
    let digits = text.get(from..from + length)?;
    digits.chars().all(|c| c.is_digit(radix)).then(|| u32::from_str_radix(digits, radix).ok())?
}

/// Parses a literal in single quotes.
///
/// One character is its code point, as in Go. A longer word is a string, which Go rejects and Converge's
/// authoring guide uses.
pub(super) fn single(literal: &str) -> Result<ExprKind, LanguageErrorKind> {
    let text = unquote(literal, '\'')?;
    let mut chars = text.chars();
    Ok(match (chars.next(), chars.next()) {
        (Some(only), None) => ExprKind::Int(i64::from(u32::from(only))),
        _ => ExprKind::Text(text.into()),
    })
}

/// Parses a number: Go's integers in every base with `_` between digits, and its floats.
pub(super) fn number(text: &str) -> Result<ExprKind, LanguageErrorKind> {
    let bad = || LanguageErrorKind::invalid(format!("`{text}` is not a number that can be used here"));
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(magnitude) = integer(digits).ok_or_else(bad)? {
        let value = if negative { -magnitude } else { magnitude };
        return i64::try_from(value).map(ExprKind::Int).map_err(|_| bad());
    }
    let value = float(digits).filter(|value| value.is_finite()).ok_or_else(bad)?;
    Ok(ExprKind::Float(if negative { -value } else { value }))
}

/// Parses an integer; returns `Some(None)` if the text may be a float.
#[expect(clippy::option_option, reason = "three outcomes: an integer, not an integer, not a number")]
fn integer(text: &str) -> Option<Option<i128>> {
    let lower = text.to_ascii_lowercase();
    let (radix, digits) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, &lower[2..]),
        [b'0', b'o', ..] => (8, &lower[2..]),
        [b'0', b'b', ..] => (2, &lower[2..]),
        [b'0', _, ..] => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    let float = match radix {
        16 => lower.contains(['.', 'p']),
        _ => lower.contains(['.', 'e']),
    };
    if float {
        return Some(None);
    }
    let prefixed = digits.len() != lower.len();
    let digits_only = underscores(digits, prefixed)?;
    i128::from_str_radix(&digits_only, radix).ok().map(Some)
}

/// Removes `_`, which may stand between two digits or after a prefix.
fn underscores(digits: &str, prefixed: bool) -> Option<String> {
    let is_invalid = digits.contains("__")
        || digits.ends_with('_')
        || !prefixed && digits.starts_with('_')
        || digits.starts_with(['+', '-']);
    (!is_invalid).then(|| digits.replace('_', ""))
}

fn float(text: &str) -> Option<f64> {
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return hex_float(hex);
    }
    let plausible =
        lower.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'+' | b'-'));
    if plausible { lower.parse().ok() } else { None }
}

/// Parses `1.8p3`: a hexadecimal mantissa and a power of two.
fn hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once('p')?;
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // A float cannot hold more than 13 hexadecimal digits exactly.
    if integer.len() + fraction.len() > 13 || integer.len() + fraction.len() == 0 {
        return None;
    }
    let digits = u64::from_str_radix(&format!("{integer}{fraction}"), 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    let scale = exponent.checked_sub(i32::try_from(fraction.len() * 4).ok()?)?;
    #[expect(clippy::cast_precision_loss, reason = "13 hexadecimal digits are 52 bits")]
    Some(digits as f64 * 2f64.powi(scale))
}
