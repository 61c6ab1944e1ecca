//! Completion at a position in a module.

mod identifiers;
mod items;
mod names;
mod quoted_text;

use std::ops::Range;
use std::sync::Arc;

pub(super) use self::items::body_of;
pub(super) use self::names::exports_at;
use super::cursor::{Cursor, Frame, Spot, cursor};
use super::index::ModuleIndex;
use super::scope::SchemaContext;
use super::workspace::{Workspace, floor};
use converge_source::Source;

/// The completions at a position.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Completions {
    /// The completions, best match first.
    pub items: Vec<Completion>,
    /// Whether more completions exist, which appear once more text is typed.
    pub has_more: bool,
}

/// One completion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Completion {
    /// The name shown in the list.
    pub label: String,
    /// The kind of item that the completion inserts.
    pub kind: CompletionKind,
    /// A short summary: the kind of a field, or the signature of a function.
    pub detail: String,
    /// The documentation as Markdown; may be empty.
    pub doc: String,
    /// The range of bytes that the completion replaces.
    pub replaces: Range<usize>,
    /// The text to insert.
    pub text: String,
    /// The text with placeholders (`$1`, and `$0` for the last), for editors that support snippets.
    ///
    /// `None` if there are no placeholders.
    pub snippet: Option<String>,
    /// Whether the item is deprecated.
    pub is_deprecated: bool,
}

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionKind {
    /// A resource type, or a block of the language.
    Type,
    /// A field.
    Field,
    /// An argument that every resource accepts.
    Argument,
    /// A parameter.
    Param,
    /// A resource, a module, a `switch` or a `case`.
    Name,
    /// An export.
    Export,
    /// A function.
    Function,
    /// One of a fixed set of values.
    Value,
    /// A keyword of the language.
    Keyword,
    /// The file of a module.
    File,
}

impl Completion {
    fn new(label: impl Into<String>, kind: CompletionKind, replaces: Range<usize>) -> Self {
        let label = label.into();
        let text = label.clone();
        Self {
            label,
            kind,
            detail: String::new(),
            doc: String::new(),
            replaces,
            text,
            snippet: None,
            is_deprecated: false,
        }
    }

    fn detail(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }

    fn doc(self, doc: impl Into<String>) -> Self {
        Self { doc: doc.into(), ..self }
    }

    fn writes(self, text: impl Into<String>, snippet: Option<String>) -> Self {
        Self { text: text.into(), snippet, ..self }
    }
}

/// The maximum number of completions in one answer.
const MAX_ITEMS: usize = 200;

/// A request for completions at a position.
struct Question<'q> {
    workspace: &'q Workspace<'q>,
    source: &'q Source,
    index: Arc<ModuleIndex>,
    offset: usize,
    frames: Vec<Frame>,
    around: SchemaContext,
    items: Vec<Completion>,
}

impl Workspace<'_> {
    /// Returns the completions at an offset: types, fields, values, names, exports and functions.
    pub fn complete(&self, source: &Source, offset: usize) -> Completions {
        self.begin();
        let Some(index) = self.index(source) else { return Completions::default() };
        let offset = floor(&index.text, offset);
        let Cursor { frames, spot } = self.cursor(&index, offset);
        let context = SchemaContext::from_frames(&frames, &self.types);
        let mut question =
            Question { workspace: self, source, offset, frames, around: context, items: Vec::new(), index };
        question.ask(spot);
        let mut items = question.items;
        let has_more = items.len() > MAX_ITEMS;
        items.truncate(MAX_ITEMS);
        Completions { items, has_more }
    }

    /// Returns the syntactic context of an offset.
    ///
    /// Only the block of the file that contains the offset is scanned, or the text between two blocks.
    pub(super) fn cursor(&self, index: &ModuleIndex, offset: usize) -> Cursor {
        let outermost =
            index.declared.partition_point(|declaration| (declaration.range.start as usize) < offset);
        let blocks = index.declared.get(..outermost).unwrap_or_default().iter().rev();
        let last = blocks.into_iter().find(|declaration| declaration.container().is_empty());
        let from = match last {
            Some(declaration) if offset <= declaration.range.end as usize => declaration.range.start,
            Some(declaration) => declaration.range.end,
            None => 0,
        };
        let from = (from as usize).max(if index.text.starts_with('\u{feff}') { 3 } else { 0 });
        self.count_scanned(offset.saturating_sub(from));
        cursor(&index.text, from, offset)
    }
}

impl Question<'_> {
    fn ask(&mut self, spot: Spot) {
        match spot {
            Spot::Nothing => {}
            Spot::Item(range) => self.items_of_body(&range),
            Spot::Label { kind, before, range } => self.label(&kind, &before, range),
            Spot::Word { path, range } => self.word(&path, range),
            Spot::Text { start, is_quoted, end } => self.text(start, is_quoted, end),
        }
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.index.text.get(range).unwrap_or_default()
    }

    /// Adds a completion if its label begins with the typed text, ignoring case.
    fn add(&mut self, prefix: &str, completion: Completion) {
        let is_match =
            completion.label.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
        if is_match && self.items.len() <= MAX_ITEMS {
            self.items.push(completion);
        }
    }

    /// Returns the index of the declaration that contains the cursor.
    fn owner(&self) -> Option<usize> {
        let start = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Block { start, .. } => {
                self.index.declared.iter().position(|declaration| declaration.range.start as usize == *start)
            }
            _ => None,
        });
        start.or_else(|| self.index.around(self.offset))
    }

    /// Returns the path of the `case` in which names are looked up; empty for the file itself.
    fn container(&self) -> String {
        let mut path = String::new();
        for frame in &self.frames {
            match frame {
                Frame::Block { kind, labels, .. } if kind == "switch" => {
                    path = format!("switch.{}", labels.first().map_or("", String::as_str));
                }
                Frame::Block { kind, labels, .. } if kind == "case" && labels.len() > 1 => {
                    path = format!("{path}/case.{}", labels.get(1).map_or("", String::as_str));
                }
                Frame::Block { kind, .. } if kind == "default" => path.push_str("/case.default"),
                _ => {}
            }
        }
        path
    }
}
