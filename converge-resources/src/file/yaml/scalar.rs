//! YAML scalars: the meaning of words, and the text of values.

use std::fmt::Write as _;

use converge_sdk::prelude::*;
use converge_sdk::value::yaml::{Kind, Node, Style, is_null};

/// Words that some readers do not take for text, compared without case.
const NO_TEXTS: [&str; 12] = ["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "none"];

fn is_bool(word: &str) -> Option<bool> {
    match word {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Parses a word without quotes as a whole number.
fn int(word: &str) -> Option<i64> {
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = word.strip_prefix(prefix) {
            return if digits.starts_with(['+', '-']) {
                None
            } else {
                i64::from_str_radix(digits, radix).ok()
            };
        }
    }
    word.parse().ok()
}

/// Parses a word without quotes as a number.
fn float(word: &str) -> Option<f64> {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    (word.contains(|c: char| c.is_ascii_digit()) && word.chars().all(is_number)).then(|| word.parse().ok())?
}

/// Whether a node has the meaning of a value, by the core schema of YAML 1.2.
pub(super) fn means(node: &Node, value: &Value) -> bool {
    if node.is_marked() {
        return false;
    }
    match (&node.kind, value) {
        (_, Value::Secret(value)) => means(node, value.expose()),
        (Kind::Scalar { text, style: Style::Plain }, value) => match value {
            Value::Null => is_null(text),
            Value::Bool(value) => is_bool(text) == Some(*value),
            Value::Int(value) => int(text) == Some(*value),
            // The file may write the number with another exponent or fraction than this module would.
            Value::Float(value) => float(text).is_some_and(|number| number.total_cmp(value).is_eq()),
            Value::String(value) => {
                **value == **text
                    && !is_null(text)
                    && is_bool(text).is_none()
                    && int(text).is_none()
                    && float(text).is_none()
            }
            _ => false,
        },
        (Kind::Scalar { text, .. }, Value::String(value)) => **value == **text,
        (Kind::List(items), Value::List(values)) => {
            items.len() == values.len() && items.iter().zip(values).all(|(item, value)| means(item, value))
        }
        (Kind::Map(entries), Value::Map(values)) => {
            let has_entry = |(name, value): (&String, &Value)| {
                entries.iter().any(|(key, node)| key.is_key(name) && means(node, value))
            };
            entries.len() == values.len() && values.iter().all(has_entry)
        }
        _ => false,
    }
}

/// Formats a value in one line.
pub(super) fn flow(value: &Value) -> String {
    let mut out = String::new();
    write_flow(&mut out, value);
    out
}

fn write_flow(out: &mut String, value: &Value) {
    match value {
        Value::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_flow(out, item);
            }
            out.push(']');
        }
        Value::Map(entries) => {
            out.push('{');
            for (index, (name, item)) in entries.iter().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                out.push_str(&text(name));
                out.push_str(": ");
                write_flow(out, item);
            }
            out.push('}');
        }
        Value::Secret(value) => write_flow(out, value.expose()),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(value) => out.push_str(&value.to_string()),
        // The debug format has a point or an exponent, so the value stays a number with a fraction.
        Value::Float(value) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{value:?}");
        }
        Value::String(value) => out.push_str(&text(value)),
        // An unknown value is never written, because no edit is made while the value is unknown.
        Value::Null | Value::Unknown(_) => out.push_str("null"),
    }
}

/// Formats a value after `key:` or `-`.
///
/// A collection gets lines of its own, each after `ending` and with `indent` spaces.
pub(super) fn block(value: &Value, indent: usize, ending: &str) -> String {
    let mut out = String::new();
    write_block(&mut out, value, indent, ending);
    out
}

fn write_block(out: &mut String, value: &Value, indent: usize, ending: &str) {
    match value {
        Value::Secret(value) => write_block(out, value.expose(), indent, ending),
        Value::Map(entries) if !entries.is_empty() => {
            for (name, item) in entries {
                out.push_str(ending);
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(&text(name));
                out.push(':');
                write_block(out, item, indent + 2, ending);
            }
        }
        Value::List(items) if !items.is_empty() => {
            for item in items {
                out.push_str(ending);
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str("- ");
                write_flow(out, item);
            }
        }
        value => {
            out.push(' ');
            write_flow(out, value);
        }
    }
}

/// Formats a text, with quotes if it would otherwise have another meaning.
pub(super) fn text(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '/'))
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-' | '@' | '+'));
    if is_word && !NO_TEXTS.contains(&&*text.to_ascii_lowercase()) { text.to_owned() } else { double(text) }
}

/// Formats a text in the quotes of the previous value.
pub(super) fn in_style(new: &str, style: Style) -> String {
    match style {
        Style::Plain => text(new),
        Style::Single if !new.chars().any(is_escaped) => format!("'{}'", new.replace('\'', "''")),
        Style::Single | Style::Double | Style::Block => double(new),
    }
}

fn is_escaped(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

fn double(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_escaped(c) => {
                // Writing to a string does not fail.
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
