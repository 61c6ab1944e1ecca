//! Completion of item names: types, fields, common arguments and parameters of module calls.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use super::{Completion, CompletionKind, Question};
use crate::cursor::Frame;
use crate::index::{CASE, DEFAULT, LOCALS, MODULE, OUTPUT, PARAM, PARAMS, PLUGIN, SWITCH};
use crate::scope::{Holder, argument};
use crate::sdk::registry::ResourceType;
use crate::syntax::{Body, Item};
use crate::types::schema::{Field, Kind};
use crate::workspace::{Workspace, declared_in};
use converge_load::meta_arguments;

/// The arguments that a module call accepts besides its parameters.
const CALL_ARGUMENTS: [&str; 6] = ["depends", "when", "for_each", "tags", "optional", "environment"];

impl Question<'_> {
    /// Completes the name of an item at the cursor.
    pub(super) fn items_of_body(&mut self, range: &Range<usize>) {
        let prefix = self.slice(range.start..self.offset).to_owned();
        let used_names = self.taken(range);
        let is_free = |name: &str| !used_names.iter().any(|taken| &**taken == name);
        let workspace = self.workspace;
        match self.around.holder.clone() {
            Holder::File => {
                for resource_type in workspace.types.iter() {
                    self.add(&prefix, type_completion(resource_type, range));
                }
                let locals = Completion::new(LOCALS, CompletionKind::Type, range.clone())
                    .doc("Values with names, made of anything.")
                    .writes("locals {\n}", Some("locals {\n  ${1:name} = $0\n}".to_owned()));
                self.add(&prefix, locals);
            }
            Holder::Case => {
                let of_language = [PARAM, OUTPUT, PLUGIN, MODULE, SWITCH];
                for resource_type in
                    workspace.types.iter().filter(|known| !of_language.contains(&known.name()))
                {
                    self.add(&prefix, type_completion(resource_type, range));
                }
            }
            Holder::Switch => {
                let case = Completion::new(CASE, CompletionKind::Type, range.clone())
                    .doc("Resources that are there when the predicate is the first that is true.")
                    .writes("case \"\" \"\" {\n}", Some("case \"$1\" \"$2\" {\n  $0\n}".to_owned()));
                self.add(&prefix, case);
                if is_free(DEFAULT) {
                    let default = Completion::new(DEFAULT, CompletionKind::Type, range.clone())
                        .doc("Resources that are there when no predicate is true.")
                        .writes("default {\n}", Some("default {\n  $0\n}".to_owned()));
                    self.add(&prefix, default);
                }
            }
            Holder::Call(_) => {
                if is_free(PARAMS) {
                    let params = Completion::new(PARAMS, CompletionKind::Field, range.clone())
                        .doc("Values for the parameters of the module.")
                        .writes("params {\n}", Some("params {\n  $0\n}".to_owned()));
                    self.add(&prefix, params);
                }
                for field in CALL_ARGUMENTS.into_iter().filter(|name| is_free(name)).filter_map(argument) {
                    self.field(&prefix, &field, CompletionKind::Argument, range);
                }
            }
            Holder::ParamsOfCall(source) => {
                let Some(callee) = workspace.called(self.source, &source) else { return };
                let indexes = workspace.indexes_of(&callee);
                let declarations = declared_in(&indexes);
                for (module, param) in declarations.filter(|(_, one)| &*one.kind.text == PARAM) {
                    let Some(name) = param.name.as_ref().filter(|name| is_free(&name.text)) else { continue };
                    let topic = Workspace::about_param(module, param);
                    let completion = Completion::new(&*name.text, CompletionKind::Param, range.clone())
                        .detail(topic.summary())
                        .doc(topic.description);
                    let completion = self.with_equals(completion, &Kind::Any, range);
                    self.add(&prefix, completion);
                }
            }
            Holder::Resource(known) => {
                let schema = known.schema();
                let takes_arguments = schema.name != PLUGIN;
                for field in schema.fields.iter().filter(|field| is_free(field.name)) {
                    self.field(&prefix, field, CompletionKind::Field, range);
                }
                for field in meta_arguments().fields.into_iter().filter(|_| takes_arguments) {
                    let is_own = schema.field(field.name).is_some();
                    let is_taken = field.name != "on_change_of" || known.refreshes();
                    if !is_own && is_taken && is_free(field.name) {
                        self.field(&prefix, &field, CompletionKind::Argument, range);
                    }
                }
            }
            Holder::Block(block) => {
                for field in block.fields.iter().filter(|field| is_free(field.name)) {
                    self.field(&prefix, field, CompletionKind::Field, range);
                }
            }
            Holder::MapOf(_) | Holder::Unknown => {}
        }
    }

    fn field(&mut self, prefix: &str, field: &Field, kind: CompletionKind, range: &Range<usize>) {
        let mut detail = field.kind.to_string();
        if field.required {
            detail.push_str(", required");
        }
        let completion = Completion::new(field.name, kind, range.clone()).detail(detail).doc(field.doc);
        let mut completion = self.with_equals(completion, &field.kind, range);
        completion.is_deprecated = field.deprecated.is_some();
        self.add(prefix, completion);
    }

    /// Adds the text that follows the name, unless the line already has it.
    fn with_equals(&self, completion: Completion, kind: &Kind, range: &Range<usize>) -> Completion {
        let rest = self.index.text.get(range.end..).unwrap_or_default();
        let line = rest.lines().next().unwrap_or_default().trim_start();
        if line.starts_with(['=', '{']) {
            return completion;
        }
        let name = completion.label.clone();
        let (text, snippet) = match kind {
            Kind::Block(_) => (format!("{name} {{\n}}"), format!("{name} {{\n  $0\n}}")),
            Kind::List(item) if matches!(**item, Kind::Block(_)) => {
                (format!("{name} {{\n}}"), format!("{name} {{\n  $0\n}}"))
            }
            Kind::String | Kind::Enum(_) | Kind::Duration | Kind::Time => {
                (format!("{name} = "), format!("{name} = \"$0\""))
            }
            Kind::List(_) => (format!("{name} = "), format!("{name} = [$0]")),
            _ => (format!("{name} = "), format!("{name} = $0")),
        };
        completion.writes(text, Some(snippet))
    }

    /// Returns the item names in the enclosing body, without repeatable blocks and the name at the cursor.
    fn taken(&self, range: &Range<usize>) -> Vec<Arc<str>> {
        let start = self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Block { start, .. } => Some(*start),
            _ => None,
        });
        let body = start.and_then(|start| body_of(&self.index.body, start));
        let names = body.map(|body| &body.items).into_iter().flatten().filter_map(|item| {
            let (name, is_repeated) = match item {
                Item::Attribute(attribute) => (&attribute.name, false),
                // A block can be repeated, so its name stays available.
                Item::Block(block) => (&block.kind, !matches!(&*block.kind.text, PARAMS | DEFAULT | "retry")),
            };
            let is_here = name.range.start as usize <= range.end && range.start <= name.range.end as usize;
            (!is_repeated && !is_here).then(|| Arc::clone(&name.text))
        });
        names.collect()
    }
}

/// Returns the body of the block that begins at an offset.
pub(crate) fn body_of(body: &Body, start: usize) -> Option<&Body> {
    let before = body.items.iter().rev().find_map(|item| match item {
        Item::Block(block) if block.range.start as usize <= start => Some(block),
        _ => None,
    })?;
    if before.range.start as usize == start { Some(&before.body) } else { body_of(&before.body, start) }
}

/// Returns the completion for a resource type, with its required fields.
fn type_completion(resource_type: &ResourceType, range: &Range<usize>) -> Completion {
    let schema = resource_type.schema();
    let name = schema.name;
    let doc = schema.doc.split("\n\n").next().unwrap_or_default();
    let completion = Completion::new(name, CompletionKind::Type, range.clone()).doc(doc);
    let head = match name {
        MODULE => "\"${1:source.hcl}\" \"${2:name}\"",
        _ => "\"${1:name}\"",
    };
    let required: Vec<&Field> = schema.fields.iter().filter(|field| field.required).collect();
    let width = required.iter().map(|field| field.name.len()).max().unwrap_or_default();
    let mut lines = String::new();
    for (field, place) in required.iter().zip(2..) {
        let _ = writeln!(lines, "  {:width$} = \"${place}\"", field.name);
    }
    let body = if lines.is_empty() { "  $0\n".to_owned() } else { lines };
    let plain_block = if name == MODULE { " \"\" \"\" {\n}" } else { " \"\" {\n}" };
    completion.writes(format!("{name}{plain_block}"), Some(format!("{name} {head} {{\n{body}}}")))
}
