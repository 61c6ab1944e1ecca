//! The edit that sets or removes a value in a YAML text.
//!
//! An edit changes the bytes of one part, and then parses the text again. The new text must have the declared
//! value, and everything else as before; otherwise the file is not changed. A YAML syntax that this module
//! does not know is therefore an error, and never gives a file with another meaning.

use std::ops::Range;

use converge_core::prelude::*;
use converge_core::value::ValueMap;

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
    fn new(bytes: Range<usize>, by: impl Into<String>) -> Self {
        Self { bytes, by: by.into() }
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
            let Ok(at) = first.parse::<usize>() else { return false };
            let marks = old.is_some_and(|old| old.has_marks_of(new));
            let behind = was.get(at + 1..).unwrap_or_default();
            marks
                && is.len() == was.len().max(at + 1)
                && is.get(..at) == was.get(..at)
                && is.get(at + 1..) == Some(behind)
                && says(was.get(at), is.get(at), rest, value)
        }
        (_, Kind::Map(is)) => {
            let was = match old.map(|old| &old.kind) {
                Some(Kind::Map(was)) => &**was,
                _ => &[],
            };
            let marks = match old {
                Some(old) => old.has_marks_of(new),
                None => !new.is_marked(),
            };
            let was_map = old.is_none_or(|old| matches!(old.kind, Kind::Map(_)) || old.is_null());
            let others = |entries: &[(Node, Node)]| -> Vec<usize> {
                (0..entries.len()).filter(|at| !entries[*at].0.is_key(first)).collect()
            };
            let value_of = |entries: &[(Node, Node)]| entries.iter().position(|(key, _)| key.is_key(first));
            let (kept, found) = (others(was), others(is));
            let same_others =
                kept.len() == found.len() && kept.iter().zip(&found).all(|(old, new)| was[*old] == is[*new]);
            let (old, new) = (value_of(was).map(|at| &was[at].1), value_of(is).map(|at| &is[at].1));
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
                let Some(at) = entries.iter().position(|(key, _)| key.is_key(first)) else {
                    return Ok(value.map(|value| self.added(node, entries, first, &nested(rest, value))));
                };
                let (name, found) = &entries[at];
                if value.is_none()
                    && let [last] = rest
                    && let Some(empty) = emptied(found, last)
                {
                    return self.set(node, name, found, &empty);
                }
                if !rest.is_empty() && !found.is_null() {
                    return self.below(found, rest, value);
                }
                match value {
                    None if rest.is_empty() => Ok(Some(self.removed(node, entries, at))),
                    None => Ok(None),
                    Some(value) => self.set(node, name, found, &nested(rest, value)),
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
                "line {}: what is below {:?} is an alias of something else, which is not edited from here",
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
        let at = self.line_end(end);
        Change::new(at..at, line)
    }

    /// Returns the change that gives a key another value.
    fn set(&self, map: &Node, key: &Node, found: &Node, value: &Value) -> Result<Option<Change>, String> {
        if scalar::means(found, value) {
            return Ok(None);
        }
        if found.is_marked() {
            return Err(marked(found));
        }
        let colon = tree::behind_colon(self.text, key.end)
            .ok_or_else(|| format!("line {}: behind the key there is no colon", key.line))?;
        if self.is_flow(map) || !is_collection(value) {
            return Ok(Some(self.replaced(colon, found, value)));
        }
        let indent = self.column(key.start) + 2;
        let lines = scalar::block(value, indent, self.ending);
        Ok(Some(if found.is_empty() {
            // A comment in the line of the key stays there.
            let at = self.line_end(colon);
            Change::new(at..at, lines)
        } else {
            let (from, kept) = self.gap(colon, found);
            Change::new(from..found.end, [kept, &lines].concat())
        }))
    }

    /// Returns the change that writes another value in one line, after the `:` or `-` at `behind`.
    fn replaced(&self, behind: usize, found: &Node, value: &Value) -> Change {
        let new = match (&found.kind, value) {
            (Kind::Scalar { style, .. }, Value::String(new)) => scalar::in_style(new, *style),
            (Kind::Scalar { style, .. }, Value::Secret(secret)) => match secret.expose().as_str() {
                Some(new) => scalar::in_style(new, *style),
                None => scalar::flow(value),
            },
            _ => scalar::flow(value),
        };
        if found.is_empty() {
            return Change::new(behind..behind, format!(" {new}"));
        }
        let is_block = match &found.kind {
            Kind::List(_) | Kind::Map(_) => !self.is_flow(found),
            Kind::Scalar { style, .. } => *style == Style::Block,
            Kind::Alias(_) => false,
        };
        if !is_block || !self.text[behind..found.start].contains('\n') {
            return Change::new(found.start..found.end, new);
        }
        let (from, kept) = self.gap(behind, found);
        Change::new(
            from..found.end,
            if kept.is_empty() { format!(" {new}") } else { format!(" {new} {}", kept.trim()) },
        )
    }

    /// Returns the start of the text between a key and its value, and the comment in it to keep.
    fn gap(&self, behind: usize, found: &Node) -> (usize, &str) {
        let between = &self.text[behind..found.start];
        let first = between.lines().next().filter(|_| between.contains('\n')).unwrap_or_default();
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
        let Some(found) = items.get(number) else {
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
                Some(value) if found.is_null() => {
                    Ok(Some(self.replaced(found.start, found, &nested(rest, value))))
                }
                value => self.below(found, rest, value),
            };
        }
        let Some(value) = value else {
            return Err(format!(
                "line {}: removing an item moves the others up, so each run would remove another one: write the whole list instead",
                list.line
            ));
        };
        if scalar::means(found, value) {
            return Ok(None);
        }
        if found.is_marked() {
            return Err(marked(found));
        }
        Ok(Some(self.replaced(found.start, found, value)))
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
        let at = self.line_end(end);
        Change::new(at..at, format!("{}{spaces}- {}", self.ending, scalar::flow(value)))
    }

    /// Returns the change that removes a key.
    fn removed(&self, map: &Node, entries: &[(Node, Node)], at: usize) -> Change {
        let (key, value) = &entries[at];
        if entries.len() == 1 {
            // A map without entries can only be written as `{}`.
            return Change::new(map.start..map.end, "{}");
        }
        let next = entries.get(at + 1).map(|(next, _)| next.start);
        match next {
            Some(next) if self.is_flow(map) => Change::new(key.start..next, ""),
            None if self.is_flow(map) => Change::new(entries[at - 1].1.end..value.end, ""),
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
        let ending = rest.find('\n').map_or(rest.len(), |at| at + 1);
        Change::new(line..end + ending, "")
    }

    fn is_flow(&self, node: &Node) -> bool {
        self.text[node.start..].starts_with(['[', '{'])
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Returns the end of the line, before its line ending.
    fn line_end(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        let line = rest.find('\n').map_or(rest, |newline| &rest[..newline]);
        at + line.strip_suffix('\r').unwrap_or(line).len()
    }

    fn column(&self, at: usize) -> usize {
        self.text[self.line_start(at)..at].chars().count()
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
