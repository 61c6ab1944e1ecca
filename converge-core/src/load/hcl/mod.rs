//! From the tree of a file to declarations.

mod meta;
mod module;
mod resource;
mod switch;

use std::collections::HashMap;

pub(super) use meta::Argument;
pub(super) use module::ARGUMENTS;

use super::declaration::{Item, State, Word};
use super::error::{BlockError, ModuleError, SwitchError};
use super::lost::Lost;
use super::lower::Lower;
use crate::registry::Registry;
use crate::report::{Diagnostic, Diagnostics, Span};
use crate::syntax::{self, Block, ByteRange};

/// Blocks of the language that are no resources.
const MODULE: &str = "module";
const SWITCH: &str = "switch";
/// Blocks that stand in a switch.
const CASE: &str = "case";
const DEFAULT: &str = "default";

/// Where a text could not be read, by the diagnostics of its parser: sorted, as it reports in the order of the text.
pub(super) fn broken(diagnostics: &Diagnostics) -> Vec<u32> {
    diagnostics.iter().filter_map(Diagnostic::span).map(|span| span.start).collect()
}

/// Reads one declaration of a module.
pub(super) fn item(
    item: syntax::Item,
    registry: &Registry,
    lower: Lower<'_>,
    broken: &[u32],
    lost: &mut Lost,
    diagnostics: &mut Diagnostics,
) -> Option<Item> {
    Reader { registry, lower, broken, lost, diagnostics }.item(item)
}

struct Reader<'a> {
    registry: &'a Registry,
    lower: Lower<'a>,
    /// Where the text could not be read.
    broken: &'a [u32],
    lost: &'a mut Lost,
    diagnostics: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn report(&mut self, error: impl Into<Diagnostic>) {
        self.diagnostics.push(error.into());
    }

    fn item(&mut self, item: syntax::Item) -> Option<Item> {
        match item {
            syntax::Item::Attribute(attribute) => {
                self.report(BlockError::StrayAttribute {
                    name: attribute.name.text.to_string(),
                    span: self.lower.span(&attribute.name.range),
                });
                None
            }
            syntax::Item::Block(block) => match &*block.kind.text {
                MODULE => self.call(block).map(Item::Module),
                SWITCH => self.switch(block).map(Item::Switch),
                kind @ (CASE | DEFAULT) if self.registry.get(kind).is_none() => {
                    let kind = if kind == CASE { CASE } else { DEFAULT };
                    self.report(SwitchError::CaseOutside { kind, span: self.head(&block) });
                    None
                }
                _ => self.resource(block).map(Item::Resource),
            },
        }
    }

    /// The type and the labels of a block.
    fn head(&self, block: &Block) -> Span {
        let end = block.labels.last().map_or(block.kind.range.end, |label| label.range.end);
        self.lower.span(&(block.kind.range.start..end))
    }

    /// Whether a part of a block could not be read.
    fn state(&self, range: &ByteRange) -> State {
        let next = self.broken.partition_point(|at| *at < range.start);
        match self.broken.get(next) {
            Some(at) if *at < range.end => State::Damaged,
            _ => State::Whole,
        }
    }

    /// Whether a name can be part of an id.
    fn check_name(&mut self, kind: &str, name: &Word) -> Result<(), ()> {
        if is_name(&name.text) {
            return Ok(());
        }
        self.report(BlockError::BadName {
            kind: kind.to_owned(),
            name: name.text.to_string(),
            span: name.span,
        });
        self.lost.add(kind, &name.text);
        Err(())
    }

    fn is_module_argument(name: &str) -> bool {
        module::ARGUMENTS.contains(&name)
    }

    fn unknown_argument(&mut self, name: &Word) {
        self.report(ModuleError::UnknownArgument { name: name.text.to_string(), span: name.span });
    }
}

/// Whether a text can be part of an id. Within `["` and `"]` stands the key of an instance.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.contains('/')
        && !name.contains("{{")
        && !name.contains("[\"")
        && !name.contains(char::is_control)
}

/// Keeps the first of each name; the others are given to `report` with the place of the first.
pub(super) fn unique<T>(
    items: Vec<T>,
    name_of: impl Fn(&T) -> String,
    span_of: impl Fn(&T) -> Option<Span>,
    mut report: impl FnMut(String, Option<Span>, Option<Span>),
) -> Vec<T> {
    let mut seen: HashMap<String, Option<Span>> = HashMap::with_capacity(items.len());
    items
        .into_iter()
        .filter(|item| {
            let (name, span) = (name_of(item), span_of(item));
            match seen.entry(name) {
                std::collections::hash_map::Entry::Vacant(entry) => {
                    entry.insert(span);
                    true
                }
                std::collections::hash_map::Entry::Occupied(entry) => {
                    report(entry.key().clone(), *entry.get(), span);
                    false
                }
            }
        })
        .collect()
}
