//! Descriptions of resource types as Markdown pages, the files of `docs/resources`.

use std::fmt::Write as _;

use converge_core::language::{expression, template};
use converge_core::load::{TypeTable, meta_arguments};
use converge_core::schema::{BlockKind, ExportField, Field, Rule, Schema, Shape};
use converge_core::value::ModuleFunctions;

use crate::output::schema_text;

/// The note at the top of each page.
const GENERATED: &str =
    "<!-- Written by `cargo xtask docs` from the definition of the type: change it there. -->\n\n";

/// Lists the functions that modules can call: those of the program, of expressions, and of templates.
pub(super) fn functions(functions: &ModuleFunctions) -> String {
    let mut text =
        "# Functions\n\n| function | in `{{ }}` | gives | |\n| --- | --- | --- | --- |\n".to_owned();
    for function in functions.iter() {
        let (doc, purity) = (one_line(function.doc()), schema_text::describe_purity(function.purity()));
        let _ = writeln!(text, "| `{}` | | {doc} | {purity} |", function.signature());
    }
    for function in expression::functions() {
        let (example, result) = function.example();
        let example = one_line(&format!("`{example}` is `{result}`"));
        let pipe = function.pipe().map_or_else(String::new, |pipe| one_line(&format!("`{pipe}`")) + " ");
        let doc = one_line(function.doc());
        let _ = writeln!(text, "| `{}` | {pipe}| {doc} | {example} |", function.signature());
    }
    for function in template::functions() {
        let (example, result) = function.example();
        let example = one_line(&format!("``{example}`` is `{result}`"));
        let _ = writeln!(text, "| | `{}` | {} | {example} |", function.signature(), one_line(function.doc()));
    }
    text
}

/// Lists all types, then the fields that all resources have.
pub(super) fn index(types: &TypeTable<'_>) -> String {
    let mut text = format!("{GENERATED}# Resource types\n\n| type | what it does |\n| --- | --- |\n");
    for resource_type in types.iter() {
        let name = resource_type.name();
        let summary = one_line(resource_type.schema().doc.split("\n\n").next().unwrap_or_default());
        let _ = writeln!(text, "| [`{name}`]({name}.md) | {summary} |");
    }
    text.push_str("\n## Meta-arguments\n\nEvery resource takes these beside its own fields. A field of the same name wins.\n");
    let BlockKind { fields, rules } = meta_arguments();
    self::fields(&mut text, "", &fields, &rules);
    without_gaps(text)
}

/// Describes one type completely; `facts` are the capabilities of its resources.
pub(super) fn page(schema: &Schema, facts: &[String]) -> String {
    let mut text = format!("{GENERATED}# `{}`\n\n", schema.name);
    paragraph(&mut text, schema.doc);
    for fact in facts {
        let _ = writeln!(text, "- {fact}");
    }
    if !schema.example.is_empty() {
        let _ = writeln!(text, "\n## Example\n\n```hcl\n{}\n```", schema.example.trim_end());
    }
    if !schema.fields.is_empty() {
        text.push_str("\n## Fields\n");
        fields(&mut text, "", &schema.fields, &schema.rules);
    }
    if !schema.exports.is_empty() {
        text.push_str("\n## Exports\n\n| name | known | meaning |\n| --- | --- | --- |\n");
        exports(&mut text, "", &schema.exports);
    }
    text.push_str("\n[All types, and the arguments that every resource takes](README.md)\n");
    without_gaps(text)
}

/// Collapses consecutive blank lines into one.
fn without_gaps(mut text: String) -> String {
    while text.contains("\n\n\n") {
        text = text.replace("\n\n\n", "\n\n");
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// Writes a doc comment, moving its headings below the only top-level heading of the page.
fn paragraph(text: &mut String, doc: &str) {
    if doc.is_empty() {
        return;
    }
    for line in doc.trim().lines() {
        let deeper = if line.starts_with("# ") { "#" } else { "" };
        let _ = writeln!(text, "{deeper}{}", line.trim_end());
    }
    text.push('\n');
}

/// Writes each field under its name, then the fields of nested blocks, then the rules between fields.
fn fields(text: &mut String, path: &str, fields: &[Field], rules: &[Rule]) {
    for field in fields {
        let name = format!("{path}{}", field.name);
        let _ = writeln!(text, "\n### `{name}`\n\n{}\n", schema_text::describe_field(field));
        paragraph(text, field.doc);
        if let Some(BlockKind { fields: inner, rules }) = schema_text::block(&field.kind) {
            self::fields(text, &format!("{name}."), inner, rules);
        }
    }
    if !rules.is_empty() {
        let owner =
            if path.is_empty() { String::new() } else { format!(" of `{}`", path.trim_end_matches('.')) };
        let _ = writeln!(text, "\n### Rules{owner}\n");
        for rule in rules {
            let _ = writeln!(text, "- {}", schema_text::describe_rule(rule));
        }
    }
}

/// Writes the names that a lookup can end in, with nested structs written out.
fn exports(text: &mut String, path: &str, fields: &[ExportField]) {
    for field in fields {
        let name = format!("{path}{}", field.name);
        let open = if field.shape == Shape::Open { ".NAME" } else { "" };
        let availability = if field.computed { "after apply" } else { "" };
        let _ = writeln!(text, "| `{name}{open}` | {availability} | {} |", one_line(field.doc));
        if let Shape::Struct(inner) = &field.shape {
            exports(text, &format!("{name}."), inner);
        }
    }
}

fn one_line(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}
