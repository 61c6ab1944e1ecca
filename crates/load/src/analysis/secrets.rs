//! Redaction of secrets that a module contains or is given.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::constants::Constants;
use crate::diagnostic::{Diagnostic, Diagnostics, FileId, SourceMap, Span};
use crate::graph::{Attribute, Graph, Input, InputKind, Node};
use crate::model::blueprint::{Blueprint, ResourceBlueprint};
use crate::parameters::literal_scan::hide_values;
use crate::redact::Redactor;
use crate::sdk::registry::ResourceType;
use crate::types::type_table::TypeTable;
use converge_value::types::schema::{Field, Kind, find_field};
use converge_value::types::value::Value;

/// Hides the values of sensitive fields in a file, by value and by position.
pub(crate) fn hide_written(items: &[Blueprint], sources: &mut SourceMap) {
    for item in items {
        match item {
            Blueprint::Resource(blueprint) => hide_blueprint(blueprint, sources),
            Blueprint::Switch(switch) => {
                let resources = switch.cases.iter().flat_map(|case| &case.resources);
                resources.for_each(|blueprint| hide_blueprint(blueprint, sources));
            }
            // An argument of a call is as sensitive as the parameter it is for.
            Blueprint::Module(_) => {}
        }
    }
}

fn hide_blueprint(blueprint: &ResourceBlueprint, sources: &mut SourceMap) {
    let is_param = blueprint.rules().is_some_and(|rules| rules.sensitive);
    // Most types have no sensitive fields, so nothing in them needs hiding.
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

/// Hides the position of a sensitive field, or of the sensitive fields in its blocks.
fn hide_sensitive(field: &Field, input: &Input, sources: &mut SourceMap) {
    if !field.sensitive {
        return hide_in_blocks(&field.kind, input, sources);
    }
    if let Some(span) = input.span {
        sources.hide(span);
    }
}

fn hide_in_blocks(kind: &Kind, input: &Input, sources: &mut SourceMap) {
    match (kind, &input.kind) {
        (Kind::List(item) | Kind::OneOrMany(item), InputKind::List(items)) => {
            for input in items.iter() {
                hide_in_blocks(item, input, sources);
            }
        }
        (Kind::Map(item), InputKind::Map(items)) => {
            for (_, input) in items.iter() {
                hide_in_blocks(item, input, sources);
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
        // A repeatable block that is written once is not a list.
        (Kind::List(item) | Kind::OneOrMany(item), _) => hide_in_blocks(item, input, sources),
        _ => {}
    }
}

/// Removes quotes of hidden text from diagnostics.
///
/// In text that cannot be parsed, no one can tell which part is the secret.
pub(crate) fn withhold(diagnostics: &mut Diagnostics, unread: &[Range<usize>], sources: &SourceMap) {
    let mut hidden: HashMap<FileId, Vec<Range<usize>>> = HashMap::new();
    for range in unread {
        for diagnostic in diagnostics.range_mut(range.clone()) {
            let Some(span) = diagnostic.span() else { continue };
            let Some(file) = sources.file(span.file) else { continue };
            let of_file = || sources.hidden_in(file, 0..file.text().len());
            let hidden = hidden.entry(span.file).or_insert_with(of_file);
            let index = hidden.partition_point(|range| range.end < span.end as usize);
            if hidden.get(index).is_some_and(|range| range.start <= span.start as usize) {
                *diagnostic = withheld(diagnostic);
            }
        }
    }
}

fn withheld(diagnostic: &Diagnostic) -> Diagnostic {
    let replacement = match diagnostic.code {
        "template" => Diagnostic::error(
            diagnostic.code,
            "this text is not a valid template, and is not shown because it is sensitive",
        )
        .help("`{{` begins a template; as text it is written {{`{{`}}"),
        "literal-interpolation" => {
            Diagnostic::warning(diagnostic.code, "`${..}` in a string is not evaluated")
        }
        "literal-statement" => {
            Diagnostic::warning(diagnostic.code, "`{% .. %}` in a string is not evaluated")
        }
        code => Diagnostic::error(code, "this cannot be parsed, and is not shown because it is sensitive")
            .help("text is written in double quotes"),
    };
    replacement.label(diagnostic.span(), "")
}

pub(crate) fn hide_place(attribute: &Attribute, sources: &mut SourceMap) {
    if let Some(span) = attribute.input.span {
        sources.hide(span);
    }
}

fn hide_known_values(resource: &ResourceType, attributes: &[Attribute], redactor: &Redactor) {
    for attribute in attributes {
        // A computed value is not known yet.
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

/// Hides probable values of sensitive parameters in text that cannot be parsed.
///
/// The hidden range goes from the line before the word to the end of the block.
pub(crate) fn hide_broken(file: FileId, diagnostics: &Diagnostics, sources: &mut SourceMap) {
    let Some(text) = sources.file(file).map(|file| Arc::clone(file.text())) else { return };
    let spans = diagnostics.iter().flat_map(|diagnostic| &diagnostic.labels).map(|label| label.span);
    let error_starts: Vec<usize> =
        spans.filter(|span| span.file == file).map(|span| span.start as usize).collect();
    if error_starts.is_empty() {
        return;
    }
    let mut end = 0;
    for (word, _) in text.match_indices("sensitive") {
        if word < end {
            continue;
        }
        let start = end + text[end..word].rfind("param").unwrap_or(0);
        let block = &text[start..];
        let block_ends = ["\n}", "\nparam"].into_iter().filter_map(|end| block.find(end));
        end = start + block_ends.min().unwrap_or(block.len());
        if error_starts.iter().any(|offset| (start..=end).contains(offset)) {
            sources.hide(Span::new(file, start, end));
            let is_value = |line: &&str| line.trim_start().starts_with("default");
            text[start..end].lines().filter(is_value).for_each(|line| hide_values(line, sources.redactor()));
        }
    }
}

/// Hides probable values of sensitive resource fields in text that cannot be parsed.
///
/// The hidden range goes to the end of the line, or to the end of the block for a value of several lines.
/// `broken` are the sorted offsets of parse errors.
pub(crate) fn hide_broken_fields(
    file: FileId,
    types: &TypeTable<'_>,
    broken: &[u32],
    sources: &mut SourceMap,
) {
    let Some(text) = sources.file(file).map(|file| Arc::clone(file.text())) else { return };
    if broken.is_empty() {
        return;
    }
    let fields = types.iter().flat_map(|resource_type| &resource_type.schema().fields);
    let names: HashSet<&str> = fields.flat_map(sensitive_names).collect();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let (line_start, rest) = (start, line.trim_start());
        start += line.len();
        let Some((name, value)) = rest.split_once('=').filter(|(name, _)| names.contains(name.trim())) else {
            continue;
        };
        let goes_on = value.trim_start().starts_with(['<', '[', '{', '(']);
        let following_lines =
            text[start..].split_inclusive('\n').take_while(|line| !line.trim_start().starts_with('}'));
        let end = if goes_on { start + following_lines.map(str::len).sum::<usize>() } else { start };
        let next = broken.partition_point(|error_offset| (*error_offset as usize) < line_start);
        if broken.get(next).is_some_and(|error_offset| (*error_offset as usize) < end) {
            sources.hide(Span::new(file, line_start + line.len() - rest.len() + name.len(), end));
            hide_values(line, sources.redactor());
        }
    }
}

/// Returns the name of a sensitive field, or the names of the sensitive fields in its blocks.
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

/// Hides the known secrets of a graph, and reports those that are too short to be hidden.
pub(crate) fn hide_known(constants: &Constants, graph: &Graph, diagnostics: &mut impl Extend<Diagnostic>) {
    let redactor = graph.sources().redactor();
    // A value without a position was not seen in a file.
    for (_, node) in graph.nodes().filter(|(_, node)| node.span.is_none()) {
        hide_known_values(&node.resource, &node.attributes, redactor);
    }
    let short = constants.hide_secrets(redactor).into_iter().filter_map(|id| graph.find(id.as_str()));
    let short: Vec<_> = short.collect();
    diagnostics.extend(keep_names(constants, graph));
    diagnostics.extend(short.into_iter().map(|index| {
        let node = graph.node(index);
        let name = node.id.name();
        Diagnostic::warning(
            "short-secret",
            format!("the value of `{name}` is too short to be hidden everywhere"),
        )
        .label(node.span, "is sensitive")
        .help("a value of fewer than four characters is hidden only where its source is known")
    }));
}

/// Keeps names that contain a secret readable, and reports each parameter with such a value.
fn keep_names(constants: &Constants, graph: &Graph) -> Vec<Diagnostic> {
    let redactor = graph.sources().redactor();
    if redactor.is_empty() {
        return Vec::new();
    }
    let mut kept = String::new();
    let nodes = graph.nodes().map(|(_, node)| node).filter(|node| redactor.is_in(node.id.name()));
    for node in nodes.filter(|node| redactor.keep_name(node.id.name())) {
        kept.push_str(node.id.name());
        kept.push('\n');
    }
    let words = constants.secrets_in(&kept).into_iter().filter_map(|id| graph.find(id.as_str()));
    let warning = |node: &Node| {
        let message =
            format!("the value of `{}` is an ordinary word, which is shown in names", node.id.name());
        Diagnostic::warning("common-secret", message)
            .label(node.span, "is sensitive")
            .help("choose another secret: whoever reads the names of resources and parameters reads this one")
    };
    words.map(|index| warning(graph.node(index))).collect()
}
