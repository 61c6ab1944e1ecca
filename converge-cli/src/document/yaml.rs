//! YAML 1.2 (core schema) with source positions, and a writer of YAML.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use converge_core::diagnostic::{Diagnostics, FileId};
use converge_core::value::yaml::{
    Documents, Kind, Node as YamlNode, Style, YamlError, YamlErrorKind, is_null,
};
use serde_json::{Number, Value as Json};

use super::node::{DEPTH, Entry, Node, Value, error_at};

/// The maximum number of values, including those that aliases repeat.
///
/// A short text with aliases can expand to a very long one.
const VALUES: usize = 1_000_000;

pub(super) fn read(file: FileId, text: &str) -> (Vec<Node>, Diagnostics) {
    let mut documents = Documents::new(text, DEPTH);
    let (mut nodes, mut diagnostics) = (Vec::new(), Diagnostics::new());
    let mut converter = Converter::default();
    loop {
        // An anchor is valid only in its document.
        converter.anchors.clear();
        let document = documents.next_document().map_err(Wrong::from);
        match document.and_then(|document| document.map(|root| converter.node(root)).transpose()) {
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
    at: Range<usize>,
    message: String,
}

impl From<YamlError> for Wrong {
    fn from(error: YamlError) -> Self {
        let message = match error.kind {
            YamlErrorKind::DuplicateKey(key) => format!("`{key}` is written twice"),
            kind => kind.to_string(),
        };
        Self { at: error.range, message }
    }
}

/// Converts nodes of YAML to those of a document.
#[derive(Default)]
struct Converter {
    /// The nodes that aliases can repeat, by the number of their anchor.
    anchors: BTreeMap<usize, Node>,
    values: usize,
}

impl Converter {
    fn node(&mut self, node: YamlNode) -> Result<Node, Wrong> {
        let end = match node.kind {
            // Messages about a list or a map point at its beginning.
            Kind::List(_) | Kind::Map(_) => node.start,
            Kind::Scalar { .. } | Kind::Alias(_) => node.end,
        };
        let range = node.start..end;
        let error = |message: &str| Err(Wrong { at: range.clone(), message: message.to_owned() });
        self.values += 1;
        if self.values > VALUES {
            return error("it has too many values");
        }
        let (is_text, is_tagged) = (node.is_tagged_text(), node.tag.is_some());
        let anchor = node.anchor;
        let value = match node.kind {
            Kind::Scalar { text, style } => {
                let is_text = is_text || style != Style::Plain;
                if is_tagged && !is_text {
                    return error("tags are not supported");
                }
                if is_text { Value::Text(text) } else { plain(text.into()) }
            }
            Kind::List(items) => {
                let items = items.into_iter().map(|item| self.node(item));
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Kind::Map(entries) => Value::Map(self.map(entries)?),
            Kind::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor).cloned() else {
                    return error("the anchor is not defined above this line");
                };
                self.values += size(&node);
                return Ok(Node { range, ..node });
            }
        };
        let node = Node::new(value, range);
        if anchor > 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn map(&mut self, nodes: Vec<(YamlNode, YamlNode)>) -> Result<Vec<Entry>, Wrong> {
        let entries = nodes.into_iter().map(|(key, node)| {
            let at = key.start..key.end;
            let Kind::Scalar { text: name, .. } = key.kind else {
                return Err(Wrong { at, message: "a name is a text".to_owned() });
            };
            if name == "<<" {
                return Err(Wrong { at, message: "`<<` is not supported".to_owned() });
            }
            Ok(Entry { name, at, node: self.node(node)? })
        });
        entries.collect()
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
        word if is_null(word) => Value::Null,
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
