//! YAML in the style of Terraform: block style, sorted and quoted keys, and multi-line texts as blocks.

use std::fmt::Write as _;

use crate::language::budget::{OutOfSteps, StepBudget};
use crate::language::convert;
use crate::types::value::Value;

/// Encodes a value as a YAML document that ends with a line end.
pub(super) fn encode(value: &Value, budget: &StepBudget<'_>) -> Result<String, OutOfSteps> {
    let mut writer = Writer { out: String::new(), budget };
    match value {
        Value::List(items) if !items.is_empty() => writer.list(items, 0)?,
        Value::Map(items) if !items.is_empty() => writer.map(items, 0)?,
        _ => {
            writer.plain(value, 0)?;
            writer.out.push('\n');
        }
    }
    Ok(writer.out)
}

struct Writer<'w> {
    out: String,
    budget: &'w StepBudget<'w>,
}

impl Writer<'_> {
    fn indent(&mut self, depth: usize) -> Result<(), OutOfSteps> {
        self.budget.spend_bytes(depth * 2 + 1)?;
        self.out.extend(std::iter::repeat_n("  ", depth));
        Ok(())
    }

    /// Writes the items, from the position of the first `-`.
    fn list(&mut self, items: &[Value], depth: usize) -> Result<(), OutOfSteps> {
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.indent(depth)?;
            }
            self.out.push_str("- ");
            match item {
                Value::List(items) if !items.is_empty() => self.list(items, depth + 1)?,
                Value::Map(items) if !items.is_empty() => self.map(items, depth + 1)?,
                _ => {
                    self.plain(item, depth)?;
                    self.out.push('\n');
                }
            }
        }
        Ok(())
    }

    /// Writes the entries, from the position of the first key.
    fn map(&mut self, items: &indexmap::IndexMap<String, Value>, depth: usize) -> Result<(), OutOfSteps> {
        for (index, (name, item)) in convert::sorted(items).into_iter().enumerate() {
            if index > 0 {
                self.indent(depth)?;
            }
            quoted(&mut self.out, name);
            self.out.push(':');
            match item {
                // The items of a list are on the lines below its key.
                Value::List(items) if !items.is_empty() => {
                    self.out.push('\n');
                    self.indent(depth)?;
                    self.list(items, depth)?;
                }
                Value::Map(items) if !items.is_empty() => {
                    self.out.push('\n');
                    self.indent(depth + 1)?;
                    self.map(items, depth + 1)?;
                }
                _ => {
                    self.out.push(' ');
                    self.plain(item, depth)?;
                    self.out.push('\n');
                }
            }
        }
        Ok(())
    }

    /// Writes a value that fits on one line, or a multi-line text.
    fn plain(&mut self, value: &Value, depth: usize) -> Result<(), OutOfSteps> {
        match value {
            Value::List(_) => self.out.push_str("[]"),
            Value::Map(_) => self.out.push_str("{}"),
            Value::String(text) if is_block(text) => self.block(text, depth)?,
            Value::String(text) => quoted(&mut self.out, text),
            Value::Float(number) => self.out.push_str(&convert::float_in_document(*number)),
            value => self.out.push_str(&convert::text(value).unwrap_or_else(|| "null".into())),
        }
        Ok(())
    }

    /// Writes a block scalar `|`, with an indicator for the number of line ends at its end.
    fn block(&mut self, text: &str, depth: usize) -> Result<(), OutOfSteps> {
        self.out.push('|');
        if text.starts_with([' ', '\n']) {
            self.out.push('2');
        }
        let body = text.trim_end_matches('\n');
        match text.len() - body.len() {
            0 => self.out.push('-'),
            1 if !body.is_empty() => {}
            _ => self.out.push('+'),
        }
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.out.push('\n');
            if !line.is_empty() {
                self.indent(depth + 1)?;
                self.out.push_str(line);
            }
        }
        Ok(())
    }
}

/// Whether a text is written as a block.
///
/// A block has several lines and only characters that a block scalar can contain.
fn is_block(text: &str) -> bool {
    let special = |c: char| {
        c != '\n' && c != '\t' && c.is_control()
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{85}')
    };
    text.contains('\n') && !text.contains(special) && !text.contains(" \n") && !text.ends_with(' ')
}

/// Writes text in double quotes.
fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\0' => out.push_str("\\0"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\u{85}' => out.push_str("\\N"),
            '\u{2028}' => out.push_str("\\L"),
            '\u{2029}' => out.push_str("\\P"),
            '\u{feff}' => out.push_str("\\uFEFF"),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
