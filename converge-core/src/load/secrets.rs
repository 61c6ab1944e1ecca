//! The secrets that a module writes down, and those that it is given.

use std::sync::Arc;

use super::blueprint::{Blueprint, ResourceBlueprint};
use super::constants::Constants;
use super::values_of_text::hide_values;
use crate::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::graph::{Attribute, Graph};
use crate::redact::Redactor;
use crate::sdk::registry::ResourceType;

/// Hides what is written in a file as the value of something sensitive: as a text, and where it is written.
pub(super) fn hide_written(items: &[Blueprint], sources: &mut SourceMap) {
    for item in items {
        match item {
            Blueprint::Resource(blueprint) => hide_blueprint(blueprint, sources),
            Blueprint::Switch(switch) => {
                let resources = switch.cases.iter().flat_map(|case| &case.resources);
                resources.for_each(|blueprint| hide_blueprint(blueprint, sources));
            }
            // What it gives is as sensitive as what it gives it to.
            Blueprint::Module(_) => {}
        }
    }
}

fn hide_blueprint(blueprint: &ResourceBlueprint, sources: &mut SourceMap) {
    hide_known_values(&blueprint.resource, &blueprint.attributes, sources.redactor());
    let fields = &blueprint.resource.schema().fields;
    let is_param = blueprint.rules.as_ref().is_some_and(|rules| rules.sensitive);
    for attribute in blueprint.attributes.iter() {
        if is_param || fields.get(attribute.field).is_some_and(|field| field.sensitive) {
            hide_place(attribute, sources);
        }
    }
}

/// Hides where something is written.
pub(super) fn hide_place(attribute: &Attribute, sources: &mut SourceMap) {
    if let Some(span) = attribute.input.span {
        sources.hide(span);
    }
}

/// Hides what is known of sensitive fields.
fn hide_known_values(resource: &ResourceType, attributes: &[Attribute], redactor: &Redactor) {
    for attribute in attributes {
        let value = attribute.input.known_part();
        redactor.hide_secrets_in(&value);
        if let Some(field) = resource.schema().fields.get(attribute.field) {
            field.hide(&value, redactor);
        }
    }
}

/// Hides what seems to be written about sensitive parameters where something cannot be read: from the line before the word to
/// the end of the block.
pub(super) fn hide_broken(file: FileId, diagnostics: &Diagnostics, sources: &mut SourceMap) {
    let Some(text) = sources.file(file).map(|file| Arc::clone(file.text())) else { return };
    let spans = diagnostics.iter().flat_map(|one| &one.labels).map(|label| label.span);
    let wrong: Vec<usize> = spans.filter(|span| span.file == file).map(|span| span.start as usize).collect();
    if wrong.is_empty() {
        return;
    }
    let mut end = 0;
    for (word, _) in text.match_indices("sensitive") {
        if word < end {
            continue;
        }
        let start = end + text[end..word].rfind("param").unwrap_or(0);
        let block = &text[start..];
        let ends = ["\n}", "\nparam"].into_iter().filter_map(|end| block.find(end));
        end = start + ends.min().unwrap_or(block.len());
        if wrong.iter().any(|at| (start..=end).contains(at)) {
            sources.hide(Span::new(file, start, end));
            let is_value = |line: &&str| line.trim_start().starts_with("default");
            text[start..end].lines().filter(is_value).for_each(|line| hide_values(line, sources.redactor()));
        }
    }
}

/// Hides what is known of the secrets of a graph, and tells which are too short for that.
pub(super) fn hide_known(constants: &Constants, graph: &Graph, diagnostics: &mut impl Extend<Diagnostic>) {
    let redactor = graph.sources().redactor();
    // What has no place in a file was not seen in one.
    for (_, node) in graph.nodes().filter(|(_, node)| node.span.is_none()) {
        hide_known_values(&node.resource, &node.attributes, redactor);
    }
    let short = constants.hide_secrets(redactor).into_iter().filter_map(|id| graph.find(id.as_str()));
    diagnostics.extend(short.map(|index| {
        let node = graph.node(index);
        let name = node.id.name();
        Diagnostic::warning(
            "short-secret",
            format!("the value of `{name}` is too short to be hidden wherever it turns up"),
        )
        .label(node.span, "is sensitive")
        .help("what has fewer than four characters is hidden only where it is known to come from here")
    }));
}
