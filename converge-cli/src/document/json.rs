//! JSON with source positions, which `serde_json` does not provide; it only decodes the parts.

use std::ops::Range;

use converge_core::diagnostic::{Diagnostics, FileId};

use serde_json::Number;

use super::node::{DEPTH, Entry, Node, Value, error_at};

pub(super) fn read(file: FileId, text: &str) -> (Vec<Node>, Diagnostics) {
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut reader = Reader { text, at: start, depth: 0 };
    let mut nodes = Vec::new();
    let mut diagnostics = Diagnostics::new();
    // Several values may follow each other, as programs write them line by line.
    while reader.peek().is_some() {
        match reader.value() {
            Ok(node) => nodes.push(node),
            Err(Wrong { at, message }) => {
                diagnostics.push(error_at(file, &at, "json", message));
                break;
            }
        }
    }
    (nodes, diagnostics)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

struct Wrong {
    at: Range<usize>,
    message: String,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the next character that is not white space.
    fn peek(&mut self) -> Option<char> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        self.rest().chars().next()
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T, Wrong> {
        let length = self.rest().chars().next().map_or(0, char::len_utf8);
        Err(Wrong { at: self.at..self.at + length, message: message.into() })
    }

    fn expect(&mut self, expected: char, description: &str) -> Result<(), Wrong> {
        match self.peek() {
            Some(c) if c == expected => {
                self.at += expected.len_utf8();
                Ok(())
            }
            Some(c) => self.wrong(format!("expected {description}, got {c:?}")),
            None => self.wrong(format!("expected {description}, and the text ends")),
        }
    }

    fn value(&mut self) -> Result<Node, Wrong> {
        let Some(first) = self.peek() else { return self.wrong("expected a value, and the text ends") };
        let start = self.at;
        let value = match first {
            '{' => self.nested(Self::map)?,
            '[' => self.nested(Self::list)?,
            '"' => Value::Text(self.string()?),
            _ => self.word()?,
        };
        Ok(Node::new(value, start..self.at))
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Wrong>) -> Result<Value, Wrong> {
        self.depth += 1;
        if self.depth > DEPTH {
            return self.wrong(format!("more than {DEPTH} levels of nesting"));
        }
        // Skips the opening bracket.
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn map(&mut self) -> Result<Value, Wrong> {
        let mut entries: Vec<Entry> = Vec::new();
        while self.peek() != Some('}') {
            if !entries.is_empty() {
                self.expect(',', "`,` or `}`")?;
            }
            if self.peek() != Some('"') {
                return self.wrong("expected a name in quotes");
            }
            let start = self.at;
            let name = self.string()?;
            let range = start..self.at;
            if entries.iter().any(|entry| entry.name == name) {
                return Err(Wrong { at: range, message: format!("`{name}` is written twice") });
            }
            self.expect(':', "`:`")?;
            let node = self.value()?;
            entries.push(Entry { name, at: range, node });
        }
        self.at += 1;
        Ok(Value::Map(entries))
    }

    fn list(&mut self) -> Result<Value, Wrong> {
        let mut nodes = Vec::new();
        while self.peek() != Some(']') {
            if !nodes.is_empty() {
                self.expect(',', "`,` or `]`")?;
            }
            nodes.push(self.value()?);
        }
        self.at += 1;
        Ok(Value::List(nodes))
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let mut escaped = false;
        let end = self.rest().char_indices().skip(1).find(|(_, character)| {
            let is_end = *character == '"' && !escaped;
            escaped = *character == '\\' && !escaped;
            is_end
        });
        let Some((end, _)) = end else { return self.wrong("the string is not closed") };
        let range = self.at..self.at + end + 1;
        let decoded = serde_json::from_str(self.text.get(range.clone()).unwrap_or_default());
        let decoded = decoded.map_err(|error| Wrong { at: range.clone(), message: message(&error) })?;
        self.at = range.end;
        Ok(decoded)
    }

    fn word(&mut self) -> Result<Value, Wrong> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '{' | '}' | '[' | ']' | '"');
        let length = self.rest().find(is_end).unwrap_or(self.rest().len());
        let range = self.at..self.at + length;
        let word = self.text.get(range.clone()).unwrap_or_default();
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "" => return self.wrong("expected a value"),
            number => match serde_json::from_str::<Number>(number) {
                // A `f64` loses the last digits of some numbers.
                Ok(read) if read.is_f64() => {
                    Value::Number(number.parse().ok().and_then(Number::from_f64).unwrap_or(read))
                }
                Ok(read) => Value::Number(read),
                Err(_) => return Err(Wrong { at: range, message: format!("{word:?} is not a value") }),
            },
        };
        self.at = range.end;
        Ok(value)
    }
}

/// Returns the message of an error without its position, which is relative to a part of the text.
fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or_default().to_owned()
}
