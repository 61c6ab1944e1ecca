//! The edit that sets or removes a value in a YAML text.
//!
//! An edit changes the bytes of one part, and then parses the text again. The new text must have the declared
//! value, and everything else as before; otherwise the file is not changed. A YAML syntax that this module
//! does not know is therefore an error, and never gives a file with another meaning.

use std::ops::Range;

use converge_sdk::prelude::*;
use converge_sdk::value::ValueMap;

use super::scalar;
use super::tree::{self, Kind, Node, Style};
use crate::file::edit::{Edit, Edited, lines};
use crate::text::Text;

/// The byte order mark that some Windows programs write before UTF-8 text.
const MARK: &str = "\u{feff}";

/// A value that is to be present or absent.
#[derive(Debug)]
pub(super) struct YamlEdit {
    /// The keys from the outermost to the innermost, at least one.
    pub(super) key: Vec<Text>,
    /// The value, or `None` if the key is to be removed.
    pub(super) value: Option<Value>,
    pub(super) secret: bool,
}

/// A byte range of a text, and its replacement.
struct Change {
    bytes: Range<usize>,
    by: String,
}

impl Change {
    fn new(bytes: Range<usize>, text: impl Into<String>) -> Self {
        Self { bytes, by: text.into() }
    }
}

impl YamlEdit {
    fn edited(&self, text: &str) -> Result<String, String> {
        let root = tree::parse(text)?;
        let writer = Writer { text, ending: lines::ending(&lines::lines(text)) };
        let change = match (&root, &self.value) {
            (None, None) => None,
            (None, Some(value)) => Some(writer.at_end(&self.key, value)),
            (Some(root), value) => writer.below(root, &self.key, value.as_ref())?,
        };
        let Some(Change { bytes, by }) = change else { return Ok(text.to_owned()) };
        let line = text[..bytes.start].matches('\n').count() + 1;
        let edited = [&text[..bytes.start], &by, &text[bytes.end..]].concat();
        let is_as_declared = tree::parse(&edited)
            .is_ok_and(|new| says(root.as_ref(), new.as_ref(), &self.key, self.value.as_ref()));
        if is_as_declared {
            Ok(edited)
        } else {
            Err(format!("line {line} is written in a way in which the value cannot be edited alone"))
        }
    }
}

impl Edit for YamlEdit {
    fn edit(&self, text: &str) -> Result<Edited, String> {
        let (mark, text) = match text.strip_prefix(MARK) {
            Some(text) => (MARK, text),
            None => ("", text),
        };
        Ok(Edited::new(mark.to_owned() + &self.edited(text)?))
    }

    fn is_secret(&self) -> bool {
        self.secret
    }

    fn unsettled(&self) -> &'static str {
        "each run would change the value again"
    }
}

/// Whether the new text has the value at the key, and everything else as before.
fn says(old: Option<&Node>, new: Option<&Node>, key: &[Text], value: Option<&Value>) -> bool {
    let Some((first, rest)) = key.split_first() else {
        return match (value, new) {
            (Some(value), Some(new)) => scalar::means(new, value),
            (None, new) => new.is_none(),
            (Some(_), None) => false,
        };
    };
    let Some(new) = new else { return old.is_none() && value.is_none() };
    match (old.map(|old| &old.kind), &new.kind) {
        (Some(Kind::List(was)), Kind::List(is)) => {
            let Ok(index) = first.parse::<usize>() else { return false };
            let marks = old.is_some_and(|old| old.has_marks_of(new));
            let behind = was.get(index + 1..).unwrap_or_default();
            marks
                && is.len() == was.len().max(index + 1)
                && is.get(..index) == was.get(..index)
                && is.get(index + 1..) == Some(behind)
                && says(was.get(index), is.get(index), rest, value)
        }
        (_, Kind::Map(is)) => {
            let old_entries = match old.map(|old| &old.kind) {
                Some(Kind::Map(old_entries)) => &**old_entries,
                _ => &[],
            };
            let marks = match old {
                Some(old) => old.has_marks_of(new),
                None => !new.is_marked(),
            };
            let was_map = old.is_none_or(|old| matches!(old.kind, Kind::Map(_)) || old.is_null());
            let others = |entries: &[(Node, Node)]| -> Vec<usize> {
                (0..entries.len()).filter(|index| !entries[*index].0.is_key(first)).collect()
            };
            let value_of = |entries: &[(Node, Node)]| entries.iter().position(|(key, _)| key.is_key(first));
            let (old_others, new_others) = (others(old_entries), others(is));
            let same_others = old_others.len() == new_others.len()
                && old_others.iter().zip(&new_others).all(|(old, new)| old_entries[*old] == is[*new]);
            let (old, new) =
                (value_of(old_entries).map(|index| &old_entries[index].1), value_of(is).map(|at| &is[at].1));
            marks && was_map && same_others && says(old, new, rest, value)
        }
        _ => false,
    }
}

struct Writer<'t> {
    text: &'t str,
    ending: &'static str,
}

impl Writer<'_> {
    /// Returns the change that gives a node the value below it, or `None` if the node has it already.
    fn below(&self, node: &Node, key: &[Text], value: Option<&Value>) -> Result<Option<Change>, String> {
        let Some((first, rest)) = key.split_first() else { return Ok(None) };
        match &node.kind {
            Kind::Map(entries) => {
                let Some(index) = entries.iter().position(|(key, _)| key.is_key(first)) else {
                    return Ok(value.map(|value| self.added(node, entries, first, &nested(rest, value))));
                };
                let (name, old_value) = &entries[index];
                if value.is_none()
                    && let [last] = rest
                    && let Some(empty) = emptied(old_value, last)
                {
                    return self.set(node, name, old_value, &empty);
                }
                if !rest.is_empty() && !old_value.is_null() {
                    return self.below(old_value, rest, value);
                }
                match value {
                    None if rest.is_empty() => Ok(Some(self.removed(node, entries, index))),
                    None => Ok(None),
                    Some(value) => self.set(node, name, old_value, &nested(rest, value)),
                }
            }
            Kind::List(items) => self.in_list(node, items, first, rest, value),
            Kind::Scalar { .. } if node.is_null() => Ok(value.map(|value| self.at_end(key, value))),
            Kind::Scalar { .. } if value.is_none() => Ok(None),
            Kind::Scalar { .. } => Err(format!(
                "line {}: there is a value and nothing below it, so there is no {:?}",
                node.line,
                first.shown()
            )),
            Kind::Alias(_) => Err(format!(
                "line {}: the value of {:?} is an alias, which cannot be edited here",
                node.line,
                first.shown()
            )),
        }
    }

    /// Returns the change that adds the value at the end of a text without content.
    fn at_end(&self, key: &[Text], value: &Value) -> Change {
        let lines = scalar::block(&nested(key, value), 0, self.ending);
        let lines = lines.strip_prefix(self.ending).unwrap_or(&lines);
        let gap = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { self.ending };
        Change::new(self.text.len()..self.text.len(), [gap, lines, self.ending].concat())
    }

    /// Returns the change that adds a new key after the others.
    fn added(&self, map: &Node, entries: &[(Node, Node)], name: &str, value: &Value) -> Change {
        let name = scalar::text(name);
        let Some((key, last)) = entries.last() else {
            return Change::new(map.start..map.end, format!("{{{name}: {}}}", scalar::flow(value)));
        };
        let end = last.end.max(key.end);
        if self.is_flow(map) {
            return Change::new(end..end, format!(", {name}: {}", scalar::flow(value)));
        }
        let indent = self.column(entries[0].0.start);
        let spaces = " ".repeat(indent);
        let line = format!("{}{spaces}{name}:{}", self.ending, scalar::block(value, indent + 2, self.ending));
        let position = self.line_end(end);
        Change::new(position..position, line)
    }

    /// Returns the change that gives a key another value.
    fn set(&self, map: &Node, key: &Node, old: &Node, value: &Value) -> Result<Option<Change>, String> {
        if scalar::means(old, value) {
            return Ok(None);
        }
        if old.is_marked() {
            return Err(marked(old));
        }
        let colon = tree::behind_colon(self.text, key.end)
            .ok_or_else(|| format!("line {}: behind the key there is no colon", key.line))?;
        if self.is_flow(map) || !is_collection(value) {
            return Ok(Some(self.replaced(colon, old, value)));
        }
        let indent = self.column(key.start) + 2;
        let lines = scalar::block(value, indent, self.ending);
        Ok(Some(if old.is_empty() {
            // A comment in the line of the key stays there.
            let position = self.line_end(colon);
            Change::new(position..position, lines)
        } else {
            let (from, comment) = self.gap(colon, old);
            Change::new(from..old.end, [comment, &lines].concat())
        }))
    }

    /// Returns the change that writes another value in one line, after the `:` or `-` at `behind`.
    fn replaced(&self, behind: usize, old: &Node, value: &Value) -> Change {
        let new = match (&old.kind, value) {
            (Kind::Scalar { style, .. }, Value::String(new)) => scalar::in_style(new, *style),
            (Kind::Scalar { style, .. }, Value::Secret(secret)) => match secret.expose().as_str() {
                Some(new) => scalar::in_style(new, *style),
                None => scalar::flow(value),
            },
            _ => scalar::flow(value),
        };
        if old.is_empty() {
            return Change::new(behind..behind, format!(" {new}"));
        }
        let is_block = match &old.kind {
            Kind::List(_) | Kind::Map(_) => !self.is_flow(old),
            Kind::Scalar { style, .. } => *style == Style::Block,
            Kind::Alias(_) => false,
        };
        if !is_block || !self.text[behind..old.start].contains('\n') {
            return Change::new(old.start..old.end, new);
        }
        let (from, comment) = self.gap(behind, old);
        Change::new(
            from..old.end,
            if comment.is_empty() { format!(" {new}") } else { format!(" {new} {}", comment.trim()) },
        )
    }

    /// Returns the start of the text between a key and its value, and the comment in it to keep.
    fn gap(&self, behind: usize, node: &Node) -> (usize, &str) {
        let slice = &self.text[behind..node.start];
        let first = slice.lines().next().filter(|_| slice.contains('\n')).unwrap_or_default();
        (behind, first.find(" #").map_or("", |comment| first[comment..].trim_end()))
    }

    fn in_list(
        &self,
        list: &Node,
        items: &[Node],
        first: &Text,
        rest: &[Text],
        value: Option<&Value>,
    ) -> Result<Option<Change>, String> {
        let Ok(number) = first.parse::<usize>() else {
            return Err(format!(
                "line {}: there is a list, and {:?} is not the number of an item",
                list.line,
                first.shown()
            ));
        };
        let Some(item) = items.get(number) else {
            return match value {
                None => Ok(None),
                Some(value) if number == items.len() => {
                    Ok(Some(self.pushed(list, items, &nested(rest, value))))
                }
                Some(_) => Err(format!(
                    "line {}: the list has {} items, which are counted from 0: the next is {}",
                    list.line,
                    items.len(),
                    items.len()
                )),
            };
        };
        if !rest.is_empty() {
            return match value {
                Some(value) if item.is_null() => {
                    Ok(Some(self.replaced(item.start, item, &nested(rest, value))))
                }
                value => self.below(item, rest, value),
            };
        }
        let Some(value) = value else {
            return Err(format!(
                "line {}: removing an item moves the others up, so each run would remove another one: write the whole list instead",
                list.line
            ));
        };
        if scalar::means(item, value) {
            return Ok(None);
        }
        if item.is_marked() {
            return Err(marked(item));
        }
        Ok(Some(self.replaced(item.start, item, value)))
    }

    /// Returns the change that appends an item.
    fn pushed(&self, list: &Node, items: &[Node], value: &Value) -> Change {
        let Some(end) = items.last().map(|item| item.end) else {
            return Change::new(list.start..list.end, format!("[{}]", scalar::flow(value)));
        };
        if self.is_flow(list) {
            return Change::new(end..end, format!(", {}", scalar::flow(value)));
        }
        let dash = self.text[..items[0].start].rfind('-').unwrap_or(list.start);
        let spaces = " ".repeat(self.column(dash));
        let position = self.line_end(end);
        Change::new(position..position, format!("{}{spaces}- {}", self.ending, scalar::flow(value)))
    }

    /// Returns the change that removes a key.
    fn removed(&self, map: &Node, entries: &[(Node, Node)], index: usize) -> Change {
        let (key, value) = &entries[index];
        if entries.len() == 1 {
            // A map without entries can only be written as `{}`.
            return Change::new(map.start..map.end, "{}");
        }
        let next = entries.get(index + 1).map(|(next, _)| next.start);
        match next {
            Some(next) if self.is_flow(map) => Change::new(key.start..next, ""),
            None if self.is_flow(map) => Change::new(entries[index - 1].1.end..value.end, ""),
            next => self.without_lines(key.start, value.end, next),
        }
    }

    /// Returns the change that removes the lines of a part.
    ///
    /// If other text precedes the part in its line, the change removes up to the next part.
    fn without_lines(&self, start: usize, end: usize, next: Option<usize>) -> Change {
        let line = self.line_start(start);
        if !self.text[line..start].trim().is_empty() {
            return Change::new(start..next.unwrap_or(end), "");
        }
        let end = self.line_end(end);
        let rest = &self.text[end..];
        let ending = rest.find('\n').map_or(rest.len(), |offset| offset + 1);
        Change::new(line..end + ending, "")
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text[node.start..].starts_with(['[', '{'])
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Returns the end of the line, before its line ending.
    fn line_end(&self, offset: usize) -> usize {
        let rest = &self.text[offset..];
        let line = rest.find('\n').map_or(rest, |newline| &rest[..newline]);
        offset + line.strip_suffix('\r').unwrap_or(line).len()
    }

    fn column(&self, offset: usize) -> usize {
        self.text[self.line_start(offset)..offset].chars().count()
    }
}

fn is_collection(value: &Value) -> bool {
    match value {
        Value::Secret(value) => is_collection(value.expose()),
        Value::List(items) => !items.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        _ => false,
    }
}

/// Returns the empty map that remains of a map without its only key.
fn emptied(node: &Node, part: &str) -> Option<Value> {
    match &node.kind {
        Kind::Map(entries) if entries.len() == 1 && entries[0].0.is_key(part) => {
            Some(Value::Map(ValueMap::default()))
        }
        _ => None,
    }
}

/// Nests a value below the keys.
fn nested(key: &[Text], value: &Value) -> Value {
    key.iter()
        .rev()
        .fold(value.clone(), |value, name| Value::Map([(name.to_string(), value)].into_iter().collect()))
}

fn marked(node: &Node) -> String {
    format!("line {}: the value has an anchor or a tag, so other keys may depend on it", node.line)
}
