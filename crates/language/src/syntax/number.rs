//! The parser of numbers by the rules of HCL 1.

use super::error::{SyntaxErrorKind, shorten};
use super::tree::ExpressionKind;

/// Parses a number.
///
/// The number is decimal, octal with a leading 0, hexadecimal with `0x`, or has a fraction or exponent.
pub(super) fn parse(raw: &str) -> Result<ExpressionKind, SyntaxErrorKind> {
    let digits = raw.strip_prefix('-').unwrap_or(raw);
    let range = || SyntaxErrorKind::NumberRange(shorten(raw));
    let invalid = || SyntaxErrorKind::InvalidNumber(shorten(raw));
    let is_all = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.bytes().all(|b| is(&b));
    let (base, text) = if let Some(hex) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        if !is_all(hex, u8::is_ascii_hexdigit) {
            return Err(invalid());
        }
        (16, hex)
    } else if !is_all(digits, u8::is_ascii_digit) {
        let value = float(raw, digits).ok_or_else(invalid)?;
        return if value.is_finite() { Ok(ExpressionKind::Float(value)) } else { Err(range()) };
    } else if digits.len() > 1 && digits.starts_with('0') {
        if digits.contains(['8', '9']) {
            return Err(SyntaxErrorKind::InvalidOctal(shorten(raw)));
        }
        (8, &digits[1..])
    } else {
        (10, digits)
    };
    // A fast path for short numbers, which are the most common.
    if base == 10 && digits.len() < 19 && raw.len() == digits.len() {
        return Ok(ExpressionKind::Int { value: text.parse().map_err(|_| range())?, base: 10 });
    }
    let size = i128::from_str_radix(text, base).map_err(|_| range())?;
    let value = i64::try_from(if raw.starts_with('-') { -size } else { size }).map_err(|_| range())?;
    Ok(ExpressionKind::Int { value, base: u8::try_from(base).unwrap_or(10) })
}

/// Parses digits with an optional fraction and exponent.
///
/// The check excludes `inf` and `1_0`, which Rust accepts.
fn float(raw: &str, digits: &str) -> Option<f64> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (digits, None),
    };
    let (integer, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let numeric = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !numeric(integer)
        || fraction.is_some_and(|text| !numeric(text))
        || exponent.is_some_and(|text| !numeric(text))
    {
        return None;
    }
    raw.parse().ok()
}
