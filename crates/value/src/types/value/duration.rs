//! Durations in the notation of Go.

use std::time::Duration;

/// Parses a duration in the notation of Go, or in whole seconds.
///
/// Examples are `1h30m`, `1.5h`, `300ms`, `1us`, `0` and `90`.
///
/// Units are `h m s ms us µs ns`; each may appear more than once and with a fraction. Returns `None` for any
/// other text, for a negative duration, and for one that does not fit.
///
/// ```
/// use std::time::Duration;
/// use converge_core::value::parse_duration;
///
/// assert_eq!(parse_duration("1m30s"), Some(Duration::from_secs(90)));
/// assert_eq!(parse_duration("90"), Some(Duration::from_secs(90)));
/// assert_eq!(parse_duration("1d"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.strip_prefix('+').unwrap_or(text);
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let number_end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at(number_end);
        let unit_end = after.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        total = total.checked_add(amount(number, nanos_of(unit)?)?)?;
        rest = after;
    }
    Some(total)
}

fn nanos_of(unit: &str) -> Option<u64> {
    Some(match unit {
        "h" => 3_600_000_000_000,
        "m" => 60_000_000_000,
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        // U+00B5 is the micro sign and U+03BC the Greek letter; Go accepts both.
        "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
        "ns" => 1,
        _ => return None,
    })
}

/// Returns the duration of `number` units; `number` has digits with at most one point.
fn amount(number: &str, unit_nanos: u64) -> Option<Duration> {
    let (integer, fraction) = number.split_once('.').unwrap_or((number, ""));
    if (integer.is_empty() && fraction.is_empty()) || fraction.contains('.') {
        return None;
    }
    let integer: u64 = if integer.is_empty() { 0 } else { integer.parse().ok()? };
    let mut nanos = u128::from(integer) * u128::from(unit_nanos);
    let mut scale = u128::from(unit_nanos);
    // Digits after the 18th do not affect whole nanoseconds.
    for digit in fraction.bytes().take(18) {
        scale *= 10;
        nanos = nanos * 10 + u128::from(digit - b'0') * u128::from(unit_nanos);
    }
    nanos = nanos * u128::from(unit_nanos) / scale;
    Some(Duration::from_nanos(u64::try_from(nanos).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_go_reads() {
        let check = |text: &str, expect: Option<Duration>| assert_eq!(parse_duration(text), expect, "{text}");
        check("1h30m", Some(Duration::from_mins(90)));
        check("1.5h", Some(Duration::from_mins(90)));
        check("300ms", Some(Duration::from_millis(300)));
        check("2h45m0.5s", Some(Duration::from_millis(9_900_500)));
        check("1us", Some(Duration::from_micros(1)));
        check("1\u{b5}s", Some(Duration::from_micros(1)));
        check("1\u{3bc}s", Some(Duration::from_micros(1)));
        check("1h1h", Some(Duration::from_hours(2)));
        check(".5s", Some(Duration::from_millis(500)));
        check("1.s", Some(Duration::from_secs(1)));
        check("0", Some(Duration::ZERO));
        check("5", Some(Duration::from_secs(5)));
        check("+5s", Some(Duration::from_secs(5)));
        for bad in ["", "1d", "-1s", "s", ".s", "1..5s", "1 s", "1h-1m", "abc", "99999999999999999999h"] {
            check(bad, None);
        }
    }
}
