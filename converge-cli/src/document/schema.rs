//! Conversion of a document to JSON by a schema of the server, with positions of all mistakes.

use converge_core::diagnostic::{Diagnostic, Diagnostics, FileId, close_names, did_you_mean};
use serde_json::{Map, Value as Json};

use super::node::{Entry, Node, Value, error_at};

/// The schemas of a server, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Schemas(pub(crate) Map<String, Json>);

/// The prefix of references to other schemas.
const REFERENCE: &str = "#/components/schemas/";
/// The maximum number of references followed from one schema to the next.
const HOPS: usize = 16;

impl Schemas {
    /// Follows the references of a schema.
    fn resolve<'a>(&'a self, mut schema: &'a Json) -> &'a Json {
        for _ in 0..HOPS {
            let name =
                schema.get("$ref").and_then(Json::as_str).and_then(|path| path.strip_prefix(REFERENCE));
            match name.and_then(|name| self.0.get(name)) {
                Some(next) => schema = next,
                None => break,
            }
        }
        schema
    }
}

/// Converts the tree of a file to JSON.
#[derive(Debug)]
pub(crate) struct Walk<'a> {
    pub(crate) schemas: &'a Schemas,
    pub(crate) file: FileId,
    pub(crate) diagnostics: &'a mut Diagnostics,
}

impl Walk<'_> {
    /// Converts the value called `name` by this schema.
    pub(crate) fn convert(&mut self, name: &str, node: &Node, schema: &Json) -> Json {
        let schemas = self.schemas;
        let schema = schemas.resolve(schema);
        if !accepts(schema, node) {
            let message = format!("`{name}` must be {}, got {}", wanted(schema), node.kind());
            self.diagnostics.push(error_at(self.file, &node.range, "wrong-kind", message));
            return Json::Null;
        }
        match &node.value {
            Value::Null => Json::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => {
                self.word(name, node, text, schema);
                text.clone().into()
            }
            Value::List(nodes) => self.list(name, nodes, schema),
            Value::Blocks(nodes) if kinds(schema).any(|kind| kind == "array") => {
                self.list(name, nodes, schema)
            }
            Value::Blocks(nodes) => nodes.first().map_or(Json::Null, |node| self.convert(name, node, schema)),
            Value::Map(_) => self.map(name, node, schema),
        }
    }

    fn list(&mut self, name: &str, nodes: &[Node], schema: &Json) -> Json {
        let any_schema = Json::Bool(true);
        let items = schema.get("items").unwrap_or(&any_schema);
        let nodes = nodes.iter().enumerate();
        nodes.map(|(at, node)| self.convert(&format!("{name}[{at}]"), node, items)).collect()
    }

    fn map(&mut self, name: &str, node: &Node, schema: &Json) -> Json {
        let Value::Map(entries) = &node.value else { return Json::Null };
        let properties = schema.get("properties").and_then(Json::as_object);
        let others = schema.get("additionalProperties");
        let any_schema = Json::Bool(true);
        let mut fields = Map::new();
        for entry in entries {
            let property = properties.and_then(|properties| properties.get(&entry.name));
            let schema = match (property, others) {
                (Some(known), _) => known,
                (None, Some(Json::Bool(false))) => {
                    let names =
                        properties.into_iter().flat_map(|properties| properties.keys().map(String::as_str));
                    let diagnostic = unknown(self.file, entry, name, &names.collect::<Vec<_>>());
                    self.diagnostics.push(diagnostic);
                    continue;
                }
                (None, others) => others.unwrap_or(&any_schema),
            };
            let value = self.convert(&format!("{name}.{}", entry.name), &entry.node, schema);
            fields.insert(entry.name.clone(), value);
        }
        self.choices(name, entries, schema);
        Json::Object(fields)
    }

    /// Checks that at most one field of each choice is set.
    fn choices(&mut self, name: &str, entries: &[Entry], schema: &Json) {
        for choice in schema.get("allOf").and_then(Json::as_array).into_iter().flatten() {
            let choices = choice.get("oneOf").and_then(Json::as_array).into_iter().flatten();
            let names: Vec<_> =
                choices.filter_map(|option| option.get("required")?.get(0)?.as_str()).collect();
            let is_one =
                |entry: &&Entry| names.contains(&entry.name.as_str()) && entry.node.value != Value::Null;
            let mut present = entries.iter().filter(is_one);
            let Some(first) = present.next() else { continue };
            for duplicate in present {
                let message = format!("`{name}.{}` and `{}` exclude each other", first.name, duplicate.name);
                let diagnostic = error_at(self.file, &duplicate.at, "exclusive", message);
                self.diagnostics.push(diagnostic.help("write one of them"));
            }
        }
    }

    fn word(&mut self, name: &str, node: &Node, text: &str, schema: &Json) {
        let Some(words) = schema.get("enum").and_then(Json::as_array) else { return };
        let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
        if !words.contains(&text) {
            let message = format!("`{name}` must be one of {}, got {text:?}", words.join(", "));
            let diagnostic = error_at(self.file, &node.range, "unknown-word", message);
            let help = did_you_mean(text, words);
            self.diagnostics.push(match help {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            });
        }
    }
}

/// Returns the diagnostic for an entry with an unknown name.
pub(crate) fn unknown(file: FileId, entry: &Entry, owner: &str, names: &[&str]) -> Diagnostic {
    let message = format!("`{owner}` has no field `{}`", entry.name);
    let diagnostic = error_at(file, &entry.at, "unknown-field", message);
    if close_names(&entry.name, names.iter().copied()).is_empty() {
        let help = if names.is_empty() {
            "it has no fields".to_owned()
        } else {
            format!("its fields are {}", names.join(", "))
        };
        return diagnostic.help(help);
    }
    match did_you_mean(&entry.name, names.iter().copied()) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// Lists the JSON types that a schema accepts; nothing if it does not restrict them.
fn kinds(schema: &Json) -> impl Iterator<Item = &str> {
    let kinds = match schema.get("type") {
        Some(Json::String(kind)) => vec![kind.as_str()],
        Some(Json::Array(kinds)) => kinds.iter().filter_map(Json::as_str).collect(),
        _ => Vec::new(),
    };
    let others = schema.get("anyOf").and_then(Json::as_array).into_iter().flatten();
    let others: Vec<&str> =
        others.filter_map(|alternative| alternative.get("type").and_then(Json::as_str)).collect();
    kinds.into_iter().chain(others)
}

fn accepts(schema: &Json, node: &Node) -> bool {
    let mut says_nothing = true;
    for kind in kinds(schema) {
        says_nothing = false;
        let fits = match &node.value {
            Value::Null => true,
            Value::Bool(_) => kind == "boolean",
            Value::Number(number) => kind == "number" || kind == "integer" && !number.is_f64(),
            Value::Text(_) => kind == "string",
            Value::List(_) => kind == "array",
            Value::Map(_) => kind == "object",
            Value::Blocks(blocks) => kind == "array" || kind == "object" && blocks.len() == 1,
        };
        if fits {
            return true;
        }
    }
    says_nothing
}

fn wanted(schema: &Json) -> String {
    let words = kinds(schema).map(|kind| match kind {
        "string" => "a text",
        "boolean" => "a boolean",
        "integer" => "a whole number",
        "number" => "a number",
        "array" => "a list",
        "object" => "a map",
        other => other,
    });
    words.collect::<Vec<_>>().join(" or ")
}
