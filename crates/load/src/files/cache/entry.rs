//! A checked file as the cache stores it.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Diagnostic, FileId, NamedText, Span};
use crate::graph::{Input, InputKind};
use crate::model::blueprint::{Blueprint, CallBlueprint, ModuleContent, ResourceBlueprint};
use crate::model::references::NameUse;
use converge_value::types::budget::size;

/// The estimated number of bytes that one step of work allocates, at most.
const BYTES_PER_STEP: u64 = 16;

/// The estimated memory in bytes for each byte of a parsed template or expression.
const BYTES_PER_PARSED_BYTE: u64 = 24;

/// A file without errors, and everything that a load records when it reads the file.
#[derive(Debug)]
pub(crate) struct CheckedFile {
    pub(crate) id: FileId,
    pub(crate) text: Arc<NamedText>,
    pub(crate) content: Arc<ModuleContent>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// The warnings that quote text which may turn out to be sensitive.
    pub(crate) unread: Vec<Range<usize>>,
    /// The number of steps that its constant expressions took.
    pub(crate) steps: u64,
    /// The estimated memory in bytes.
    pub(crate) bytes: u64,
}

impl CheckedFile {
    pub(crate) fn new(id: FileId, text: Arc<NamedText>, content: Arc<ModuleContent>) -> Self {
        let lines = (text.lines() * size_of::<u32>()) as u64;
        let bytes = text.text().len() as u64 + lines + content.items.iter().map(of_item).sum::<u64>();
        Self { id, text, content, warnings: Vec::new(), unread: Vec::new(), steps: 0, bytes }
    }

    /// Adds the warnings that a load found, and the steps that it took.
    pub(crate) fn with_notes(self, warnings: Vec<Diagnostic>, unread: Vec<Range<usize>>, steps: u64) -> Self {
        let warning_sizes =
            warnings.iter().map(|warning| (size_of::<Diagnostic>() + warning.message.len()) as u64);
        let bytes = self.bytes + warning_sizes.sum::<u64>() + steps.saturating_mul(BYTES_PER_STEP);
        Self { warnings, unread, steps, bytes, ..self }
    }
}

fn of_item(item: &Blueprint) -> u64 {
    match item {
        Blueprint::Resource(resource) => of_resource(resource),
        Blueprint::Module(call) => of_call(call),
        Blueprint::Switch(switch) => {
            let cases = switch.cases.iter().map(|case| {
                let resources = case.resources.iter().map(of_resource).sum::<u64>();
                size_of_val(case) as u64 + of_uses(&case.references) + resources
            });
            size_of_val(item) as u64 + cases.sum::<u64>()
        }
    }
}

fn of_resource(resource: &ResourceBlueprint) -> u64 {
    let base_size = (size_of::<Blueprint>() + resource.name().len()) as u64;
    let inputs = resource.attributes.iter().map(|attribute| of_input(&attribute.input));
    let arguments = resource.arguments.as_ref().map_or(0, |arguments| {
        let conditions = arguments.lifecycle.when.iter().chain(&arguments.lifecycle.for_each);
        size_of_val(&**arguments) as u64 + conditions.map(|input| of_input(input)).sum::<u64>()
    });
    base_size + inputs.sum::<u64>() + arguments + of_uses(&resource.references)
}

fn of_call(call: &CallBlueprint) -> u64 {
    let params = call.params.values().map(|argument| {
        let inputs = argument.attributes.iter().map(|attribute| of_input(&attribute.input));
        size_of_val(argument) as u64 + inputs.sum::<u64>() + of_uses(&argument.references)
    });
    (size_of::<Blueprint>() + size_of_val(call)) as u64 + params.sum::<u64>() + of_uses(&call.references)
}

fn of_uses(uses: &[NameUse]) -> u64 {
    size_of_val(uses) as u64
}

fn of_input(input: &Input) -> u64 {
    let parsed =
        || input.span.map_or(0, |Span { start, end, .. }| u64::from(end - start)) * BYTES_PER_PARSED_BYTE;
    size_of_val(input) as u64
        + match &input.kind {
            InputKind::Value(value) => size(value),
            InputKind::List(items) => items.iter().map(of_input).sum(),
            InputKind::Map(entries) => {
                entries.iter().map(|(name, item)| of_input(name) + of_input(item)).sum()
            }
            InputKind::Template(_) | InputKind::Expression(_) | InputKind::Predicate(_) => parsed(),
            InputKind::Lookup(path) => path.len() as u64,
        }
}
