//! What a task makes available to `lookup`.

use indexmap::IndexMap;

use crate::schema::{ExportField, Shape};
use crate::value::Value;

/// A type with named exports; `#[derive(Export)]` implements it.
///
/// See the [guide](crate::guide) for the seven rules of exports.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no exports",
    label = "this type does not implement `Export`",
    note = "write `#[derive(Export)]` on the type"
)]
pub trait Export {
    /// Describes the exports. The list does not depend on any value.
    fn export_fields() -> Vec<ExportField>;

    /// The values, by the names that [`export_fields`](Self::export_fields) gives them.
    fn exports(&self) -> Exports;
}

/// The exported values of a task at one moment, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exports(IndexMap<String, Value>);

impl Exports {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an export of the type itself. It keeps its name whatever is embedded.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// Adds the exports of an embedded struct: under their own names where these are free, and always
    /// as `TypeName.name`.
    ///
    /// Must come after every [`insert`](Self::insert) of the outer type.
    pub fn embed(&mut self, type_name: &str, embedded: Exports) {
        let inner: IndexMap<String, Value> =
            embedded.0.into_iter().filter(|(_, value)| !matches!(value, Value::Null)).collect();
        for (name, value) in &inner {
            if !self.0.contains_key(name) {
                self.0.insert(name.clone(), value.clone());
            }
        }
        self.0.entry(type_name.to_owned()).or_insert(Value::Map(inner));
    }

    /// Finds a value by its path. Names match without regard to case.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(find(&self.0, first)?, |value, name| match value {
            Value::Map(items) => find(items, name),
            _ => None,
        })
    }

    /// Names and values in the order in which they were declared.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The exports as one map value.
    pub fn into_value(self) -> Value {
        Value::Map(self.0)
    }
}

fn find<'a>(items: &'a IndexMap<String, Value>, name: &str) -> Option<&'a Value> {
    items
        .get(name)
        .or_else(|| items.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value))
}

/// Adds the descriptions of an embedded struct's exports, by the same rule as [`Exports::embed`].
pub fn embed_fields(fields: &mut Vec<ExportField>, type_name: &'static str, embedded: Vec<ExportField>) {
    for field in &embedded {
        if !fields.iter().any(|have| have.name == field.name) {
            fields.push(field.clone());
        }
    }
    if !fields.iter().any(|have| have.name == type_name) {
        fields.push(ExportField {
            name: type_name,
            doc: "The embedded exports under the name of their type.",
            computed: false,
            shape: Shape::Struct(embedded),
        });
    }
}
