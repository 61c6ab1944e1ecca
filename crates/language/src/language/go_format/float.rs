//! Formatting of floats as Go prints them.

/// The exponent from which the shortest form uses exponent notation.
const SHORTEST_LIMIT: i32 = 6;

/// Formats a float like `%v`, in the fewest digits that parse back to the same number.
///
/// An exponent is used below `1e-04` and from `1e+06`.
pub(crate) fn shortest(value: f64) -> String {
    if let Some(special) = special(value) {
        return special.to_owned();
    }
    let (digits, exponent) = parts(&format!("{value:e}"));
    if (-4..SHORTEST_LIMIT).contains(&exponent) {
        format!("{value}")
    } else {
        with_exponent(&digits, exponent, 'e')
    }
}

/// Formats a float like Go's JSON encoder; NaN and infinities become null.
pub(crate) fn json(value: f64) -> String {
    if !value.is_finite() {
        return "null".to_owned();
    }
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let (digits, exponent) = parts(&format!("{value:e}"));
        let sign = if exponent < 0 { '-' } else { '+' };
        // A small negative exponent has only one digit here.
        return format!("{digits}e{sign}{:0>1$}", exponent.abs(), if exponent < 0 { 1 } else { 2 });
    }
    format!("{value}")
}

/// Formats a float with `%e`, `%f` or `%g`, their upper-case forms, and a precision.
///
/// Without a precision, `%e` and `%f` have 6 digits and `%g` as many as needed.
pub(crate) fn with_verb(value: f64, verb: char, precision: Option<usize>, keep_zeros: bool) -> String {
    if let Some(special) = special(value) {
        return special.to_owned();
    }
    let e = if verb.is_uppercase() { 'E' } else { 'e' };
    match verb.to_ascii_lowercase() {
        'e' => {
            let (digits, exponent) = parts(&format!("{value:.0$e}", precision.unwrap_or(6)));
            with_exponent(&digits, exponent, e)
        }
        'f' => format!("{value:.0$}", precision.unwrap_or(6)),
        _ => {
            let text = match precision {
                Some(precision) => format!("{value:.0$e}", precision.max(1) - 1),
                None => format!("{value:e}"),
            };
            let (mut digits, exponent) = parts(&text);
            if !keep_zeros && digits.contains('.') {
                digits.truncate(digits.trim_end_matches('0').trim_end_matches('.').len());
            }
            let count = digits.bytes().filter(u8::is_ascii_digit).count();
            let limit = precision
                .map_or(SHORTEST_LIMIT, |precision| i32::try_from(precision.max(1)).unwrap_or(i32::MAX));
            if !(-4..limit).contains(&exponent) {
                return with_exponent(&digits, exponent, e);
            }
            let after = i32::try_from(count).unwrap_or(i32::MAX).saturating_sub(1 + exponent).max(0);
            format!("{value:.0$}", usize::try_from(after).unwrap_or(0))
        }
    }
}

fn special(value: f64) -> Option<&'static str> {
    if value.is_nan() {
        Some("NaN")
    } else if value.is_infinite() {
        Some(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        None
    }
}

/// Splits Rust's `1.5e-7` into digits and exponent.
fn parts(text: &str) -> (String, i32) {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

/// Formats digits and exponent; Go writes the sign and at least two digits of the exponent.
fn with_exponent(digits: &str, exponent: i32, e: char) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{e}{sign}{:02}", exponent.abs())
}
