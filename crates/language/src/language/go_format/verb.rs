//! Formatting of one value with one verb.

use std::str::Chars;

use super::escape::{is_printable, quote, quote_char, write_to};
use super::float::with_verb;

/// The flags, width and precision between `%` and the verb.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one flag that may be written")]
pub(crate) struct Spec {
    pub(crate) minus: bool,
    plus: bool,
    pub(crate) sharp: bool,
    zero: bool,
    space: bool,
    pub(crate) width: Option<usize>,
    pub(crate) precision: Option<usize>,
}

pub(crate) fn flags(chars: &mut Chars<'_>) -> Spec {
    let mut spec = Spec::default();
    loop {
        let flag = match chars.as_str().chars().next() {
            Some('-') => &mut spec.minus,
            Some('+') => &mut spec.plus,
            Some('#') => &mut spec.sharp,
            Some('0') => &mut spec.zero,
            Some(' ') => &mut spec.space,
            _ => return spec,
        };
        *flag = true;
        chars.next();
    }
}

/// Prints text with `%s`, `%v`, `%q`, `%x` or `%X`.
pub(crate) fn text(out: &mut String, text: &str, verb: char, spec: Spec) {
    let cut = match spec.precision {
        Some(precision) if matches!(verb, 'x' | 'X') => {
            return hex(out, &text.as_bytes()[..precision.min(text.len())], verb, spec);
        }
        Some(precision) => text.char_indices().nth(precision).map_or(text, |(at, _)| &text[..at]),
        None => text,
    };
    match verb {
        'x' | 'X' => hex(out, cut.as_bytes(), verb, spec),
        'q' => {
            let mut quoted = String::new();
            let raw = spec.sharp && cut.chars().all(|c| c != '`' && (c == '\t' || is_printable(c)));
            if raw {
                write_to(&mut quoted, format_args!("`{cut}`"));
            } else {
                quote(cut, spec.plus, &mut quoted);
            }
            pad(out, &quoted, spec);
        }
        _ => pad(out, cut, spec),
    }
}

fn hex(out: &mut String, bytes: &[u8], verb: char, spec: Spec) {
    let prefix = match (spec.sharp, verb) {
        (false, _) => "",
        (true, 'x') => "0x",
        (true, _) => "0X",
    };
    let mut text = String::with_capacity(bytes.len() * 2);
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 && spec.space {
            text.push(' ');
        }
        if index == 0 || spec.space {
            text.push_str(prefix);
        }
        match verb {
            'x' => write_to(&mut text, format_args!("{byte:02x}")),
            _ => write_to(&mut text, format_args!("{byte:02X}")),
        }
    }
    pad(out, &text, spec);
}

/// Prints a float with `%e %E %f %F %g %G %v`.
pub(crate) fn float(out: &mut String, value: f64, verb: char, spec: Spec) {
    let verb = if verb == 'v' { 'g' } else { verb };
    let precision = match spec.precision {
        None if spec.sharp && matches!(verb, 'g' | 'G') => Some(6),
        precision => precision,
    };
    let mut text = with_verb(value, verb, precision, spec.sharp);
    if !text.starts_with(['-', '+']) {
        text.insert_str(
            0,
            if spec.plus {
                "+"
            } else if spec.space {
                " "
            } else {
                ""
            },
        );
    } else if text.starts_with('+') && !spec.plus {
        text.remove(0);
    }
    // Infinities are never padded with zeros.
    pad_number(out, &text, Spec { zero: spec.zero && value.is_finite(), ..spec });
}

/// Pads a number with zeros after its sign, or like text.
fn pad_number(out: &mut String, text: &str, spec: Spec) {
    let Some(width) = spec.width.filter(|_| spec.zero && !spec.minus) else {
        return pad(out, text, Spec { zero: false, ..spec });
    };
    let sign = usize::from(text.starts_with(['-', '+', ' ']));
    let (sign, digits) = text.split_at(sign);
    let (prefix, digits) = match digits.get(..2) {
        Some("0x" | "0X" | "0b" | "0o") => digits.split_at(2),
        _ => ("", digits),
    };
    // Go adds the length of a prefix to the width.
    let zeros = width.saturating_sub(sign.len() + digits.len());
    out.push_str(sign);
    out.push_str(prefix);
    out.extend(std::iter::repeat_n('0', zeros));
    out.push_str(digits);
}

fn pad(out: &mut String, text: &str, spec: Spec) {
    let missing = spec.width.map_or(0, |width| width.saturating_sub(text.chars().count()));
    let fill = if spec.zero && !spec.minus { '0' } else { ' ' };
    if !spec.minus {
        out.extend(std::iter::repeat_n(fill, missing));
    }
    out.push_str(text);
    if spec.minus {
        out.extend(std::iter::repeat_n(' ', missing));
    }
}

/// Prints a bool with `%t` or `%v`.
pub(crate) fn bool(out: &mut String, value: bool, spec: Spec) {
    let spec = Spec { precision: None, zero: false, ..spec };
    pad(out, if value { "true" } else { "false" }, spec);
}

/// Prints an integer; returns false if the verb does not print integers.
pub(crate) fn integer(out: &mut String, value: i64, verb: char, spec: Spec) -> bool {
    if verb == 'U' {
        let text = code_point(value, spec);
        pad(out, &text, Spec { zero: false, ..spec });
        return true;
    }
    let Some(text) = digits(value, verb, spec) else { return false };
    pad_number(out, &text, Spec { zero: spec.zero && spec.precision.is_none(), ..spec });
    true
}

/// Formats an integer with its sign, prefix and leading zeros; returns `None` for other verbs.
fn digits(value: i64, verb: char, spec: Spec) -> Option<String> {
    let magnitude = value.unsigned_abs();
    let (prefix, digits) = match verb {
        'd' | 'v' => ("", magnitude.to_string()),
        'b' => (if spec.sharp { "0b" } else { "" }, format!("{magnitude:b}")),
        'o' => (if spec.sharp { "0" } else { "" }, format!("{magnitude:o}")),
        'O' => ("0o", format!("{magnitude:o}")),
        'x' => (if spec.sharp { "0x" } else { "" }, format!("{magnitude:x}")),
        'X' => (if spec.sharp { "0X" } else { "" }, format!("{magnitude:X}")),
        'c' => return Some(character(value).to_string()),
        'q' => {
            let mut text = String::from("'");
            quote_char(character(value), '\'', spec.plus, &mut text);
            text.push('\'');
            return Some(text);
        }
        _ => return None,
    };
    let sign = match (value < 0, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    };
    if spec.precision == Some(0) && value == 0 {
        return Some(String::new());
    }
    let zeros = spec.precision.unwrap_or(0).saturating_sub(digits.len());
    Some(format!("{sign}{prefix}{:0<zeros$}{digits}", ""))
}

/// Formats `U+0041`; with the flag `#` also the character, if it is printable.
fn code_point(value: i64, spec: Spec) -> String {
    let digits = spec.precision.unwrap_or(0).max(4);
    let mut text = format!("U+{value:0digits$X}");
    if spec.sharp
        && let Some(character) =
            u32::try_from(value).ok().and_then(char::from_u32).filter(|character| is_printable(*character))
    {
        write_to(&mut text, format_args!(" '{character}'"));
    }
    text
}

fn character(code: i64) -> char {
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
