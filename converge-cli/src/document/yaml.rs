//! YAML 1.2 (core schema) with source positions, and a writer of YAML.

use std::borrow::Cow;
use std::fmt::Write as _;

use converge_core::diagnostic::{Diagnostics, FileId};
use saphyr_parser::{Event, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Number, Value as Json};

use super::node::{DEPTH, Entry, Node, Value, error_at};

/// The maximum number of values, including those that aliases repeat.
///
/// A short text with aliases can expand to a very long one.
const VALUES: usize = 1_000_000;

pub(super) fn read(file: FileId, text: &str) -> (Vec<Node>, Diagnostics) {
    let mut offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    offsets.push(text.len());
    let mut reader = Reader { parser: Parser::new_from_str(text), offsets, anchors: Vec::new(), values: 0 };
    let (mut nodes, mut diagnostics) = (Vec::new(), Diagnostics::new());
    loop {
        match reader.document() {
            // An empty document results from an extra `---`.
            Ok(Some(Node { value: Value::Null, .. })) => {}
            Ok(Some(node)) => nodes.push(node),
            Ok(None) => break,
            Err(Wrong { at, message }) => {
                diagnostics.push(error_at(file, &at, "yaml", message));
                break;
            }
        }
    }
    (nodes, diagnostics)
}

struct Wrong {
    at: std::ops::Range<usize>,
    message: String,
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    /// The byte offset of each character.
    offsets: Vec<usize>,
    /// The nodes that aliases can repeat, by the number of their anchor.
    anchors: Vec<(usize, Node)>,
    values: usize,
}

impl<'a> Reader<'a> {
    fn byte(&self, character: usize) -> usize {
        self.offsets.get(character).or(self.offsets.last()).copied().unwrap_or_default()
    }

    fn range(&self, span: Span) -> std::ops::Range<usize> {
        self.byte(span.start.index())..self.byte(span.end.index())
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Wrong> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok(next)) => Ok(Some(next)),
            Some(Err(error)) => {
                let offset = self.byte(error.marker().index());
                Err(Wrong { at: offset..offset, message: error.info().to_owned() })
            }
        }
    }

    /// Reads the next document, or returns `None` at the end.
    fn document(&mut self) -> Result<Option<Node>, Wrong> {
        while let Some((event, span)) = self.next()? {
            match event {
                Event::StreamEnd => return Ok(None),
                Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing => {
                    // An anchor is valid only in its document.
                    self.anchors.clear();
                }
                event => return self.node(event, span, 0).map(Some),
            }
        }
        Ok(None)
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Wrong> {
        let range = self.range(span);
        let error = |message: &str| Err(Wrong { at: range.clone(), message: message.to_owned() });
        self.values += 1;
        if self.values > VALUES {
            return error("it has too many values");
        }
        if depth > DEPTH {
            return error(&format!("more than {DEPTH} levels of nesting"));
        }
        let (value, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain
                    || tag.as_ref().is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
                if tag.is_some() && !is_text {
                    return error("tags are not supported");
                }
                (if is_text { Value::Text(text.into_owned()) } else { plain(text) }, anchor)
            }
            Event::SequenceStart(anchor, _) => {
                let mut nodes = Vec::new();
                loop {
                    match self.next()? {
                        None | Some((Event::SequenceEnd, _)) => break,
                        Some((event, span)) => nodes.push(self.node(event, span, depth + 1)?),
                    }
                }
                (Value::List(nodes), anchor)
            }
            Event::MappingStart(anchor, _) => (Value::Map(self.map(depth)?), anchor),
            Event::Alias(anchor) => {
                let Some((_, node)) = self.anchors.iter().find(|(known, _)| *known == anchor) else {
                    return error("the anchor is not defined above this line");
                };
                let node = node.clone();
                self.values += size(&node);
                return Ok(Node { range, ..node });
            }
            _ => return error("expected a value"),
        };
        let node = Node::new(value, range);
        if anchor > 0 {
            self.anchors.push((anchor, node.clone()));
        }
        Ok(node)
    }

    fn map(&mut self, depth: usize) -> Result<Vec<Entry>, Wrong> {
        let mut entries: Vec<Entry> = Vec::new();
        loop {
            let (key, span) = match self.next()? {
                None | Some((Event::MappingEnd, _)) => return Ok(entries),
                Some(key) => key,
            };
            let range = self.range(span);
            let Event::Scalar(name, ..) = key else {
                return Err(Wrong { at: range, message: "a name is a text".to_owned() });
            };
            let name = name.into_owned();
            if name == "<<" {
                return Err(Wrong { at: range, message: "`<<` is not supported".to_owned() });
            }
            if entries.iter().any(|entry| entry.name == name) {
                return Err(Wrong { at: range, message: format!("`{name}` is written twice") });
            }
            let Some((event, span)) = self.next()? else { return Ok(entries) };
            let node = self.node(event, span, depth + 1)?;
            entries.push(Entry { name, at: range, node });
        }
    }
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::List(nodes) | Value::Blocks(nodes) => 1 + nodes.iter().map(size).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|entry| size(&entry.node)).sum::<usize>(),
        _ => 1,
    }
}

/// Resolves a scalar without quotes by the core schema.
fn plain(text: Cow<'_, str>) -> Value {
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        word => number(word).map_or_else(|| Value::Text(text.into_owned()), Value::Number),
    }
}

fn number(word: &str) -> Option<Number> {
    let radix = [("0x", 16), ("0o", 8)]
        .into_iter()
        .find_map(|(prefix, radix)| Some((word.strip_prefix(prefix)?, radix)));
    if let Some((digits, radix)) = radix {
        return u64::from_str_radix(digits, radix)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .map(Number::from);
    }
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let is_number = unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && unsigned.contains(|c: char| c.is_ascii_digit())
        && unsigned.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-'));
    if !is_number {
        return None;
    }
    let signed = word.strip_prefix('+').unwrap_or(word);
    let integer =
        signed.parse::<i64>().map(Number::from).or_else(|_| signed.parse::<u64>().map(Number::from));
    // A number that does not fit stays a text.
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return integer.ok();
    }
    signed.parse::<f64>().ok().and_then(Number::from_f64)
}

/// Writes a value as YAML that ends with a line break.
pub(crate) fn write(value: &Json) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn block(value: &Json, indent: usize, out: &mut String) {
    match value {
        Json::Object(fields) if !fields.is_empty() => {
            for (index, (name, value)) in fields.iter().enumerate() {
                // The first entry of a list item stands on the line of its dash.
                if index > 0 || !out.ends_with("- ") {
                    out.extend(std::iter::repeat_n(' ', indent));
                }
                out.push_str(&scalar(name));
                out.push(':');
                nested(value, indent, out);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            for item in items {
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str("- ");
                if matches!(item, Json::Array(inner) if !inner.is_empty()) {
                    // A list in a list begins on a new line.
                    out.truncate(out.len() - 1);
                    out.push('\n');
                }
                block(item, indent + 2, out);
            }
        }
        other => {
            let text = match other {
                Json::String(text) => scalar(text),
                other => other.to_string(),
            };
            let _ = writeln!(out, "{text}");
        }
    }
}

fn nested(value: &Json, indent: usize, out: &mut String) {
    match value {
        Json::Object(fields) if !fields.is_empty() => {
            out.push('\n');
            block(value, indent + 2, out);
        }
        Json::Array(items) if !items.is_empty() => {
            out.push('\n');
            block(value, indent, out);
        }
        other => {
            out.push(' ');
            block(other, 0, out);
        }
    }
}

/// Quotes a text that would mean something else without quotes.
fn scalar(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ' ' | '@'))
        && !text.ends_with(' ')
        && matches!(plain(text.into()), Value::Text(_));
    // Some readers still follow YAML 1.1, where these words are booleans.
    let is_word = ["y", "n", "yes", "no", "on", "off"].iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_plain && !is_word {
        return text.to_owned();
    }
    // JSON strings are valid YAML strings, except for characters that YAML does not allow in a line.
    let mut out = String::new();
    for character in Json::from(text).to_string().chars() {
        match character {
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out
}
