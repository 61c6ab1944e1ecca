//! What could be written at a place.

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
use super::scope::Around;
use super::workspace::{Workspace, floor};
use crate::load::Source;

/// What could be written at a place.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Completions {
    /// What fits best first.
    pub items: Vec<Completion>,
    /// Whether there are more than these, which come when more is written.
    pub has_more: bool,
}

/// Something that could be written at a place.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Completion {
    /// What it is called.
    pub label: String,
    /// What it is.
    pub kind: CompletionKind,
    /// A few words about it: what a field takes, how a function is called.
    pub detail: String,
    /// What it means, as Markdown; may be empty.
    pub doc: String,
    /// What it takes the place of.
    pub replaces: Range<usize>,
    /// What is written.
    pub text: String,
    /// The same for an editor that lets places in it be filled in one after the other: `$1`, `$0` for the last. `None` when there are
    /// none.
    pub snippet: Option<String>,
    /// Whether it should not be written any more.
    pub is_deprecated: bool,
}

/// What a completion is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompletionKind {
    /// A type of resources, or a block of the language.
    Type,
    /// A field.
    Field,
    /// What every resource takes.
    Argument,
    /// A parameter.
    Param,
    /// A resource, a module, a switch or a case.
    Name,
    /// An export.
    Export,
    /// A function.
    Function,
    /// One of a fixed set of values.
    Value,
    /// A word of the language.
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

/// How many are given at once.
const MOST: usize = 200;

/// A question about a place.
struct Question<'q> {
    workspace: &'q Workspace<'q>,
    source: &'q Source,
    index: Arc<ModuleIndex>,
    offset: usize,
    frames: Vec<Frame>,
    around: Around,
    items: Vec<Completion>,
}

impl Workspace<'_> {
    /// What could be written at a place: types, fields, values, names, exports, functions.
    pub fn complete(&self, source: &Source, offset: usize) -> Completions {
        self.begin();
        let Some(index) = self.index(source) else { return Completions::default() };
        let offset = floor(&index.text, offset);
        let Cursor { frames, spot } = self.cursor(&index, offset);
        let around = Around::of(&frames, &self.types);
        let mut question =
            Question { workspace: self, source, offset, frames, around, items: Vec::new(), index };
        question.ask(spot);
        let mut items = question.items;
        let has_more = items.len() > MOST;
        items.truncate(MOST);
        Completions { items, has_more }
    }

    /// What a place is. No more is looked at than the block of the file that it is in, or what is between two of them.
    pub(super) fn cursor(&self, index: &ModuleIndex, offset: usize) -> Cursor {
        let outermost = index.declared.partition_point(|one| (one.range.start as usize) < offset);
        let blocks = index.declared.get(..outermost).unwrap_or_default().iter().rev();
        let last = blocks.into_iter().find(|one| one.container().is_empty());
        let from = match last {
            Some(one) if offset <= one.range.end as usize => one.range.start,
            Some(one) => one.range.end,
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

    /// Adds what begins with what is written, in any case.
    fn add(&mut self, written: &str, completion: Completion) {
        let begins =
            completion.label.get(..written.len()).is_some_and(|start| start.eq_ignore_ascii_case(written));
        if begins && self.items.len() <= MOST {
            self.items.push(completion);
        }
    }

    /// The declaration that the place is in.
    fn owner(&self) -> Option<usize> {
        let start = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Block { start, .. } => {
                self.index.declared.iter().position(|one| one.range.start as usize == *start)
            }
            _ => None,
        });
        start.or_else(|| self.index.around(self.offset))
    }

    /// What the names at the place are looked up in: a case, or the file.
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
