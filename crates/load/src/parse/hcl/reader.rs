//! The state and helpers shared by the readers of all blocks.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Span};
use crate::errors;
use crate::graph::Input;
use crate::model::declaration::Completeness;
use crate::model::names::is_name;
use crate::model::problems::Problems;
use crate::model::spanned_text::Spanned;
use crate::parse::lower::InputLowering;
use crate::syntax::{Block, ByteRange, Expression, Name};
use crate::types::type_table::TypeTable;

/// The keywords of blocks that are not resources.
pub(super) const MODULE: &str = "module";
pub(super) const SWITCH: &str = "switch";
/// The keywords of blocks inside a switch.
pub(super) const CASE: &str = "case";
pub(super) const DEFAULT: &str = "default";

pub(crate) struct DeclarationReader<'a> {
    pub(crate) types: &'a TypeTable<'a>,
    pub(crate) lowering: InputLowering<'a>,
    /// The sorted offsets where the text could not be parsed.
    pub(crate) broken: &'a [u32],
    pub(crate) problems: &'a mut Problems,
}

impl DeclarationReader<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.problems.report(diagnostic);
    }

    pub(super) fn span(&self, range: &ByteRange) -> Span {
        self.lowering.span(range)
    }

    pub(super) fn spanned(&self, name: &Name) -> Spanned {
        Spanned { text: Arc::clone(&name.text), span: Some(self.span(&name.range)) }
    }

    pub(super) fn input(&mut self, expression: Expression) -> Input {
        let lowering = self.lowering;
        self.problems.reading(|diagnostics| lowering.expression(expression, diagnostics))
    }

    pub(super) fn head(&self, block: &Block) -> Span {
        let end = block.labels.last().map_or(block.kind.range.end, |label| label.range.end);
        self.span(&(block.kind.range.start..end))
    }

    /// Returns whether a block was parsed completely.
    pub(super) fn completeness(&self, range: &ByteRange) -> Completeness {
        let next = self.broken.partition_point(|offset| *offset < range.start);
        match self.broken.get(next) {
            Some(offset) if *offset < range.end => Completeness::Partial,
            _ => Completeness::Complete,
        }
    }

    /// Reports a name that cannot be part of an ID.
    pub(super) fn check_name(&mut self, kind: &str, name: &Spanned) -> Option<()> {
        if is_name(&name.text) {
            return Some(());
        }
        self.report(errors::block::bad_name(kind, name));
        self.problems.unresolved.add(kind, &name.text);
        None
    }
}
