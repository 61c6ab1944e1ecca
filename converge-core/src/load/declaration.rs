//! Declarations: what a module or a Rust program asks for, before names mean anything.

use std::sync::Arc;

use crate::graph::{Input, Meta, Node, NodeId, Site};
use crate::report::Span;

/// A resource as it is declared.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) id: NodeId,
    pub(super) site: Arc<Site>,
    pub(super) kind: Word,
    pub(super) name: Word,
    pub(super) fields: Vec<WrittenField>,
    pub(super) depends: Vec<Word>,
    pub(super) on_change_of: Vec<Word>,
    pub(super) group: Option<Word>,
    pub(super) meta: Meta,
    pub(super) state: State,
}

/// Whether all that was written is in a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// All of it.
    Whole,
    /// A part could not be read, and that has been reported: what is missing may be written there.
    Damaged,
}

impl Declaration {
    /// The type and name of the block.
    pub(super) fn span(&self) -> Option<Span> {
        match (self.kind.span, self.name.span) {
            (Some(kind), Some(name)) => Some(kind.to(name)),
            (span, _) => span,
        }
    }
}

/// A node with the names of what it waits for.
#[derive(Debug)]
pub(super) struct Checked {
    pub(super) node: Node,
    pub(super) depends: Vec<Word>,
    pub(super) on_change_of: Vec<Word>,
}

/// A field with what was written for it.
#[derive(Debug)]
pub(super) struct WrittenField {
    pub(super) name: Word,
    pub(super) input: Input,
    pub(super) form: Form,
}

/// How a field was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// `name = value`.
    Attribute,
    /// `name { .. }`, which may be repeated.
    Block,
}

/// A text with the place where it is written.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: Arc<str>,
    pub(super) span: Option<Span>,
}

impl Word {
    /// A text that is in no file.
    pub(super) fn from_code(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), span: None }
    }
}
