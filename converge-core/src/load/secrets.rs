//! The secrets that a module writes down, and those that it is given.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::blueprint::{Blueprint, ResourceBlueprint};
use super::constants::Constants;
use super::type_table::TypeTable;
use super::values_of_text::hide_values;
use crate::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::graph::{Attribute, Graph, Input, InputKind};
use crate::redact::Redactor;
use crate::sdk::registry::ResourceType;
use crate::types::schema::{Field, Kind, find_field};
use crate::types::value::Value;

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
    let is_param = blueprint.rules().is_some_and(|rules| rules.sensitive);
    // Most types have no secrets, and of what is written nothing else is one.
    if !is_param && !blueprint.resource.has_sensitive() {
        return;
    }
    hide_known_values(&blueprint.resource, &blueprint.attributes, sources.redactor());
    let fields = &blueprint.resource.schema().fields;
    for attribute in blueprint.attributes.iter() {
        match fields.get(attribute.field) {
            _ if is_param => hide_place(attribute, sources),
            Some(field) => hide_sensitive(field, &attribute.input, sources),
            None => {}
        }
    }
}

/// Hides where a sensitive field is written, or those that are in its blocks.
fn hide_sensitive(field: &Field, input: &Input, sources: &mut SourceMap) {
    if !field.sensitive {
        return hide_sensitive_parts(&field.kind, input, sources);
    }
    if let Some(span) = input.span {
        sources.hide(span);
    }
}

fn hide_sensitive_parts(kind: &Kind, input: &Input, sources: &mut SourceMap) {
    match (kind, &input.kind) {
        (Kind::List(item) | Kind::OneOrMany(item), InputKind::List(items)) => {
            for input in items.iter() {
                hide_sensitive_parts(item, input, sources);
            }
        }
        (Kind::Map(item), InputKind::Map(items)) => {
            for (_, input) in items.iter() {
                hide_sensitive_parts(item, input, sources);
            }
        }
        (Kind::Block(block), InputKind::Map(items)) => {
            for (name, input) in items.iter() {
                if let Some(Value::String(name)) = name.known()
                    && let Some((_, field)) = find_field(&block.fields, name)
                {
                    hide_sensitive(field, input, sources);
                }
            }
        }
        // A block that may be repeated and is written once.
        (Kind::List(item) | Kind::OneOrMany(item), _) => hide_sensitive_parts(item, input, sources),
        _ => {}
    }
}

/// Leaves out of these diagnostics what they quote, where that is hidden: of a text that cannot be read nobody knows which part
/// is the secret.
pub(super) fn withhold(diagnostics: &mut Diagnostics, unread: &[Range<usize>], sources: &SourceMap) {
    let mut hidden: HashMap<FileId, Vec<Range<usize>>> = HashMap::new();
    for range in unread {
        for diagnostic in diagnostics.range_mut(range.clone()) {
            let Some(span) = diagnostic.span() else { continue };
            let Some(file) = sources.file(span.file) else { continue };
            let of_file = || sources.hidden_in(file, 0..file.text().len());
            let hidden = hidden.entry(span.file).or_insert_with(of_file);
            let at = hidden.partition_point(|range| range.end < span.end as usize);
            if hidden.get(at).is_some_and(|range| range.start <= span.start as usize) {
                *diagnostic = withheld(diagnostic);
            }
        }
    }
}

fn withheld(diagnostic: &Diagnostic) -> Diagnostic {
    let said = match diagnostic.code {
        "template" => Diagnostic::error(
            diagnostic.code,
            "this text is no template, and is not shown, as it is sensitive",
        )
        .help("`{{` begins a template; as text it is written {{`{{`}}"),
        "literal-interpolation" => {
            Diagnostic::warning(diagnostic.code, "`${..}` in a text is text, and no value")
        }
        "literal-statement" => {
            Diagnostic::warning(diagnostic.code, "`{% .. %}` in a text is text, and no statement")
        }
        code => Diagnostic::error(
            code,
            "what is written here cannot be read, and is not shown, as it is sensitive",
        )
        .help("text is written in double quotes"),
    };
    said.label(diagnostic.span(), "")
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
        // Of what is computed nothing is known.
        if !attribute.input.own_references().is_empty() {
            continue;
        }
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

/// Hides what seems to be written as sensitive fields of resources where it cannot be read: to the end of the line, and of a value
/// that goes on to the end of the block. `broken` are the offsets of what cannot be read, in their order.
pub(super) fn hide_broken_fields(
    file: FileId,
    types: &TypeTable<'_>,
    broken: &[u32],
    sources: &mut SourceMap,
) {
    let Some(text) = sources.file(file).map(|file| Arc::clone(file.text())) else { return };
    if broken.is_empty() {
        return;
    }
    let fields = types.iter().flat_map(|known| &known.schema().fields);
    let names: HashSet<&str> = fields.flat_map(sensitive_names).collect();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (at, rest) = (start, line.trim_start());
        start += line.len();
        let Some((name, value)) = rest.split_once('=').filter(|(name, _)| names.contains(name.trim())) else {
            continue;
        };
        let goes_on = value.trim_start().starts_with(['<', '[', '{', '(']);
        let more = text[start..].split_inclusive('\n').take_while(|line| !line.trim_start().starts_with('}'));
        let end = if goes_on { start + more.map(str::len).sum::<usize>() } else { start };
        let next = broken.partition_point(|wrong| (*wrong as usize) < at);
        if broken.get(next).is_some_and(|wrong| (*wrong as usize) < end) {
            sources.hide(Span::new(file, at + line.len() - rest.len() + name.len(), end));
            hide_values(line, sources.redactor());
        }
    }
}

/// The name of a field when it is sensitive, or of those that are in its blocks.
fn sensitive_names(field: &Field) -> Vec<&'static str> {
    fn in_kind(kind: &Kind) -> Vec<&'static str> {
        match kind {
            Kind::List(item) | Kind::OneOrMany(item) | Kind::Map(item) => in_kind(item),
            Kind::Block(block) => block.fields.iter().flat_map(sensitive_names).collect(),
            _ => Vec::new(),
        }
    }
    if field.sensitive { vec![field.name] } else { in_kind(&field.kind) }
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
