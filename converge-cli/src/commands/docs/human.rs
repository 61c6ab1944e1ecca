//! Descriptions of resource types for a terminal.

use std::fmt::Write as _;

use converge_core::language::{expression, template};
use converge_core::load::{TypeTable, meta_arguments};
use converge_core::schema::{BlockKind, ExportField, Field, Rule, Schema, Shape};
use converge_core::value::ModuleFunctions;

use crate::console::{BOLD, DIM, Paint};
use crate::output::schema_text;

/// Lists each type with the first line of its description, then the fields of all types.
pub(super) fn list(types: &TypeTable<'_>, paint: Paint) -> String {
    let width = types.iter().map(|resource_type| resource_type.name().len()).max().unwrap_or(0);
    let line = |name: &str, doc: &str| {
        let fill = " ".repeat(width - name.len());
        format!("{}{fill}  {}\n", paint.paint(BOLD, name), doc.lines().next().unwrap_or_default().trim())
    };
    let mut text: String =
        types.iter().map(|resource_type| line(resource_type.name(), resource_type.schema().doc)).collect();
    heading(&mut text, "Every resource takes", paint);
    let BlockKind { fields, rules } = meta_arguments();
    self::fields(&mut text, 2, &fields, &rules, paint);
    text
}

/// Lists the functions that modules can call: those of the program, of expressions, and of templates.
pub(super) fn functions(functions: &ModuleFunctions, paint: Paint) -> String {
    let mut text = String::new();
    for function in functions.iter() {
        let _ = writeln!(text, "{}", paint.paint(BOLD, function.signature()));
        paragraph(&mut text, 4, function.doc());
        paragraph(&mut text, 4, schema_text::describe_purity(function.purity()));
    }
    if !text.is_empty() {
        heading(&mut text, "Functions of expressions", paint);
    }
    for function in expression::functions() {
        let (example, result) = function.example();
        let pipe = function.pipe().map_or_else(String::new, |pipe| format!("  {{{{{pipe}}}}}"));
        let _ = writeln!(text, "{}{}", paint.paint(BOLD, function.signature()), paint.paint(DIM, pipe));
        paragraph(&mut text, 4, function.doc());
        paragraph(&mut text, 4, &paint.paint(DIM, format!("{example} is {result}")));
    }
    heading(&mut text, "Functions of templates only", paint);
    for function in template::functions() {
        let (example, result) = function.example();
        let _ = writeln!(text, "{}", paint.paint(BOLD, format!("{{{{{}}}}}", function.signature())));
        paragraph(&mut text, 4, function.doc());
        paragraph(&mut text, 4, &paint.paint(DIM, format!("{example} is {result}")));
    }
    text
}

/// Describes one type completely; `facts` are the capabilities of its resources.
pub(super) fn page(schema: &Schema, facts: &[String], paint: Paint) -> String {
    let mut text = format!("{}\n", paint.paint(BOLD, schema.name));
    paragraph(&mut text, 2, schema.doc);
    if !facts.is_empty() {
        text.push('\n');
        for fact in facts {
            paragraph(&mut text, 2, fact);
        }
    }
    if !schema.fields.is_empty() {
        heading(&mut text, "Fields", paint);
        fields(&mut text, 2, &schema.fields, &schema.rules, paint);
    }
    if !schema.exports.is_empty() {
        heading(&mut text, "Exports", paint);
        exports(&mut text, "", &schema.exports, paint);
    }
    if !schema.example.is_empty() {
        heading(&mut text, "Example", paint);
        paragraph(&mut text, 2, schema.example);
    }
    text
}

fn heading(text: &mut String, title: &str, paint: Paint) {
    let _ = writeln!(text, "\n{}", paint.paint(BOLD, title));
}

fn paragraph(text: &mut String, indent: usize, doc: &str) {
    for line in doc.trim().lines() {
        let line = line.trim_end();
        let indent = if line.is_empty() { 0 } else { indent };
        let _ = writeln!(text, "{:indent$}{line}", "");
    }
}

fn fields(text: &mut String, indent: usize, fields: &[Field], rules: &[Rule], paint: Paint) {
    for field in fields {
        let facts = paint.paint(DIM, schema_text::describe_field(field));
        let _ = writeln!(text, "{:indent$}{}: {facts}", "", paint.paint(BOLD, field.name));
        paragraph(text, indent + 4, field.doc);
        if let Some(BlockKind { fields: inner, rules }) = schema_text::block(&field.kind) {
            self::fields(text, indent + 4, inner, rules, paint);
        }
    }
    for rule in rules {
        let _ = writeln!(text, "{:indent$}{}", "", schema_text::describe_rule(rule));
    }
}

/// Writes the names that a lookup can end in, with nested structs written out.
fn exports(text: &mut String, path: &str, fields: &[ExportField], paint: Paint) {
    for field in fields {
        let name = format!("{path}{}", field.name);
        let open = if field.shape == Shape::Open { ".NAME" } else { "" };
        let computed = if field.computed { "  (known after apply)" } else { "" };
        let _ = writeln!(text, "  {}{open}{}", paint.paint(BOLD, &name), paint.paint(DIM, computed));
        paragraph(text, 6, field.doc);
        if let Shape::Struct(inner) = &field.shape {
            exports(text, &format!("{name}."), inner, paint);
        }
    }
}
