//! Resource types as people read them.

use converge_core::schema::{BlockKind, ExportField, Field, Kind, Rule, Schema, Shape};
use converge_core::{Registry, Value};

use crate::output::{BOLD, DIM, Paint};

/// One line for each type: its name and the first line of what it does.
pub(super) fn list(registry: &Registry, paint: Paint) -> String {
    let width = registry.iter().map(|known| known.name().len()).max().unwrap_or(0);
    let line = |name: &str, doc: &str| {
        let fill = " ".repeat(width - name.len());
        format!("{}{fill}  {}\n", paint.paint(BOLD, name), doc.lines().next().unwrap_or_default().trim())
    };
    registry.iter().map(|known| line(known.name(), known.schema().doc)).collect()
}

/// Everything about one type.
pub(super) fn describe(schema: &Schema, paint: Paint) -> String {
    let mut text = format!("{}\n", paint.paint(BOLD, schema.name));
    paragraph(&mut text, 2, schema.doc);
    if !schema.fields.is_empty() {
        heading(&mut text, "Fields", paint);
        fields(&mut text, 2, &schema.fields, &schema.rules, paint);
    }
    if !schema.exports.is_empty() {
        heading(&mut text, "Exports", paint);
        exports(&mut text, "", &schema.exports, paint);
    }
    text
}

fn heading(text: &mut String, title: &str, paint: Paint) {
    put(text, format_args!("\n{}\n", paint.paint(BOLD, title)));
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    text.push_str(&line.to_string());
}

fn paragraph(text: &mut String, indent: usize, doc: &str) {
    for line in doc.trim().lines() {
        let line = line.trim_end();
        let indent = if line.is_empty() { 0 } else { indent };
        put(text, format_args!("{:indent$}{line}\n", ""));
    }
}

fn fields(text: &mut String, indent: usize, fields: &[Field], rules: &[Rule], paint: Paint) {
    for field in fields {
        let facts = paint.paint(DIM, facts(field));
        put(text, format_args!("{:indent$}{}: {facts}\n", "", paint.paint(BOLD, field.name)));
        paragraph(text, indent + 4, field.doc);
        if let Some(BlockKind { fields: inner, rules }) = block(&field.kind) {
            self::fields(text, indent + 4, inner, rules, paint);
        }
    }
    for rule in rules {
        put(text, format_args!("{:indent$}{}\n", "", self::rule(rule)));
    }
}

/// The block that a field takes, once or repeatedly.
fn block(kind: &Kind) -> Option<&BlockKind> {
    match kind {
        Kind::Block(block) => Some(block),
        Kind::List(item) => block(item),
        _ => None,
    }
}

/// What a field takes, in a few words: `a string, required, not empty`.
fn facts(field: &Field) -> String {
    let mut facts = vec![field.kind.to_string()];
    let mut fact = |text: String| facts.push(text);
    if field.required {
        fact("required".into());
    }
    if field.nonempty {
        fact("not empty".into());
    }
    if let Some(default) = &field.default {
        fact(format!("default {}", self::default(default, field.base)));
    }
    if !field.valid_values.is_empty() {
        fact(format!("one of {}", field.valid_values.join(", ")));
    }
    if let Some(min) = field.min {
        fact(format!("at least {min}"));
    }
    if let Some(max) = field.max {
        fact(format!("at most {max}"));
    }
    if let Some(pattern) = field.pattern {
        fact(format!("like `{pattern}`"));
    }
    if let Some(base) = field.base {
        fact(format!("in base {base}"));
    }
    if field.sensitive {
        fact("never shown".into());
    }
    if !field.aliases.is_empty() {
        fact(format!("also `{}`", field.aliases.join("`, `")));
    }
    if let Some(instead) = field.deprecated {
        fact(format!("deprecated: {instead}"));
    }
    facts.join(", ")
}

/// A default as a module would write it: a number in the base of its field.
fn default(value: &Value, base: Option<u32>) -> String {
    match (value, base) {
        (Value::Int(number), Some(8)) => format!("0{number:o}"),
        (Value::Int(number), Some(16)) => format!("0x{number:x}"),
        _ => value.to_string(),
    }
}

fn rule(rule: &Rule) -> String {
    let names = |names: &[&str]| format!("`{}`", names.join("`, `"));
    match rule {
        Rule::MutuallyExclusive(fields) => format!("At most one of {}.", names(fields)),
        Rule::RequiredOneOf(fields) => format!("At least one of {}.", names(fields)),
        Rule::RequiredTogether(fields) => format!("All or none of {}.", names(fields)),
        Rule::Requires { field, needs } => format!("`{field}` needs `{needs}`."),
        Rule::ConflictsWith { field, other } => format!("Not both of `{field}`, `{other}`."),
        // A rule of a later version is at least not hidden.
        other => format!("{other:?}"),
    }
}

/// The names that a lookup can end in, with those of structs written out.
fn exports(text: &mut String, path: &str, fields: &[ExportField], paint: Paint) {
    for field in fields {
        let name = format!("{path}{}", field.name);
        let open = if field.shape == Shape::Open { ".NAME" } else { "" };
        let computed = if field.computed { "  (known after apply)" } else { "" };
        put(text, format_args!("  {}{open}{}\n", paint.paint(BOLD, &name), paint.paint(DIM, computed)));
        paragraph(text, 6, field.doc);
        if let Shape::Struct(inner) = &field.shape {
            exports(text, &format!("{name}."), inner, paint);
        }
    }
}
