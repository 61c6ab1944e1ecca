//! Declarations: what a module or a Rust program asks for, before names mean anything.

use std::sync::Arc;
use std::time::Duration;

use super::hcl::Argument;
use crate::graph::{self, Input};
use crate::report::Span;

/// What stands at the top of a module.
#[derive(Debug)]
pub(super) enum Item {
    /// A resource, or a parameter.
    Resource(Declaration),
    /// A call of another module.
    Module(Call),
    /// A switch.
    Switch(Switch),
}

/// A resource as it is declared.
#[derive(Debug)]
pub(super) struct Declaration {
    pub(super) kind: Word,
    pub(super) name: Word,
    pub(super) fields: Vec<WrittenField>,
    pub(super) arguments: Arguments,
    pub(super) state: State,
}

/// The meta-arguments as they are written.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// Where the name of each argument is written.
    pub(super) names: Vec<(Argument, Span)>,
    pub(super) depends: Vec<Word>,
    pub(super) on_change_of: Vec<Word>,
    pub(super) group: Option<Word>,
    pub(super) when: Option<Input>,
    pub(super) for_each: Option<Box<Input>>,
    pub(super) timeout: Option<Early<Duration, Input>>,
    pub(super) retry: Option<Early<graph::Retry, Retry>>,
}

impl Arguments {
    /// Where the name of an argument is written.
    pub(super) fn name_span(&self, argument: Argument) -> Option<Span> {
        self.names.iter().find(|(named, _)| *named == argument).map(|(_, span)| *span)
    }
}

/// Something that has to be known at load. Few resources have any, so what is written takes no room in the others.
#[derive(Debug)]
pub(super) enum Early<K, W> {
    /// It is: it was given in Rust.
    Known(K),
    /// It is written, and what is written may have to be evaluated.
    Written(Box<W>),
}

impl<K, W> Early<K, W> {
    pub(super) fn written_as(written: W) -> Self {
        Self::Written(Box::new(written))
    }

    /// What is written.
    pub(super) fn written(&self) -> Option<&W> {
        match self {
            Self::Known(_) => None,
            Self::Written(written) => Some(written),
        }
    }
}

/// `retry` as it is written.
#[derive(Debug)]
pub(super) struct Retry {
    pub(super) attempts: Option<Input>,
    pub(super) delay: Option<Input>,
    pub(super) backoff: Option<Input>,
    pub(super) span: Option<Span>,
}

/// `module "SOURCE" "NAME" { .. }`.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) source: Word,
    pub(super) name: Word,
    pub(super) params: Vec<(Word, Input)>,
    pub(super) arguments: Arguments,
    /// The type and the labels of the block.
    pub(super) span: Span,
    pub(super) state: State,
}

/// `switch "NAME" { .. }`.
#[derive(Debug)]
pub(super) struct Switch {
    pub(super) name: Word,
    pub(super) cases: Vec<Case>,
    pub(super) span: Span,
}

/// `case "PREDICATE" "NAME" { .. }`, or `default { .. }`.
#[derive(Debug)]
pub(super) struct Case {
    /// `default` for the default.
    pub(super) name: Word,
    /// `None` for the default.
    pub(super) predicate: Option<Input>,
    pub(super) resources: Vec<Declaration>,
    pub(super) span: Span,
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
