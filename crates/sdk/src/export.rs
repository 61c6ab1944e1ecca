//! The exports of a task, which `lookup` reads.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::redact::Redactor;
use crate::types::budget::fits;
use crate::types::schema::{ExportField, Shape};
use crate::types::value::Value;

/// A type with named exports, implemented by `#[derive(Export)]`.
///
/// See the guide for the seven rules of exports.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no exports",
    label = "this type does not implement `Export`",
    note = "write `#[derive(Export)]` on the type"
)]
pub trait Export {
    /// Describes the exports.
    ///
    /// The list does not depend on any value.
    fn export_fields() -> Vec<ExportField>;

    /// Returns the values, by the names in [`export_fields`](Self::export_fields).
    fn exports(&self) -> Exports;

    /// Returns the exports as one value: a map, or null if there is nothing to export.
    fn export_value(&self) -> Value {
        self.exports().into_value()
    }
}

/// Exports null under each name for `None`.
impl<T: Export> Export for Option<T> {
    fn export_fields() -> Vec<ExportField> {
        T::export_fields()
    }

    fn exports(&self) -> Exports {
        self.as_ref().map_or_else(|| Exports::null(&T::export_fields()), T::exports)
    }

    fn export_value(&self) -> Value {
        self.as_ref().map_or(Value::Null, T::export_value)
    }
}

macro_rules! pointers {
    ($($pointer:ident),*) => {$(
        impl<T: Export> Export for $pointer<T> {
            fn export_fields() -> Vec<ExportField> {
                T::export_fields()
            }

            fn exports(&self) -> Exports {
                (**self).exports()
            }

            fn export_value(&self) -> Value {
                (**self).export_value()
            }
        }
    )*};
}

pointers!(Box, Arc);

/// The exported values of a task at one moment, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exports(IndexMap<String, Value>);

impl Exports {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    fn null(fields: &[ExportField]) -> Self {
        Self(fields.iter().map(|field| (field.name.to_owned(), Value::Null)).collect())
    }

    /// Adds an export of the type itself, whose name takes precedence over embedded ones.
    pub fn insert(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// Adds the exports of an embedded struct.
    ///
    /// Each export is available under its own name if that is free, and always as `TypeName.name`. Call this
    /// after every [`insert`](Self::insert) of the outer type.
    pub fn embed(&mut self, type_name: &str, embedded: Exports) {
        for (name, value) in &embedded.0 {
            if !self.has(name) {
                self.0.insert(name.clone(), value.clone());
            }
        }
        if !self.has(type_name) {
            self.0.insert(type_name.to_owned(), embedded.into_value());
        }
    }

    /// Whether a name is taken.
    ///
    /// Lookups ignore case, so names that differ only in case collide.
    fn has(&self, name: &str) -> bool {
        self.0.keys().any(|have| have.eq_ignore_ascii_case(name))
    }

    /// Finds a value by its path.
    ///
    /// Names match without regard to case.
    pub fn get(&self, path: &[&str]) -> Option<&Value> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(find(&self.0, first)?, |value, name| match value {
            Value::Map(items) => find(items, name),
            _ => None,
        })
    }

    /// Returns the names and values in the order of their declaration.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Registers values that are marked as secret, and marks values that contain a secret.
    ///
    /// The second step is needed because a plain text field does not record the origin of its value.
    #[doc(hidden)]
    pub fn mark_secrets(&mut self, redactor: &Redactor) {
        self.0.values().for_each(|value| redactor.hide_secrets_in(value));
        if !redactor.is_empty() {
            self.0.values_mut().for_each(|value| redactor.mark_in(value));
        }
    }

    /// Whether the exports take more than about `most` bytes.
    #[doc(hidden)]
    pub fn is_larger(&self, maximum: u64) -> bool {
        let mut left = maximum;
        !self.0.values().all(|value| fits(value, &mut left))
    }

    /// Converts the exports into one map value.
    pub fn into_value(self) -> Value {
        Value::Map(self.0.into())
    }
}

fn find<'a>(items: &'a IndexMap<String, Value>, name: &str) -> Option<&'a Value> {
    items
        .get(name)
        .or_else(|| items.iter().find(|(have, _)| have.eq_ignore_ascii_case(name)).map(|(_, value)| value))
}

/// Adds the descriptions of an embedded struct's exports, by the rule of [`Exports::embed`].
///
/// With `computed`, all of them are known only after an apply.
pub fn embed_fields(
    fields: &mut Vec<ExportField>,
    type_name: &'static str,
    embedded: Vec<ExportField>,
    computed: bool,
) {
    let embedded: Vec<_> =
        if computed { embedded.into_iter().map(ExportField::into_computed).collect() } else { embedded };
    let has_name =
        |fields: &[ExportField], name: &str| fields.iter().any(|have| have.name.eq_ignore_ascii_case(name));
    for field in &embedded {
        if !has_name(fields, field.name) {
            fields.push(field.clone());
        }
    }
    if !has_name(fields, type_name) {
        let doc = "The embedded exports under the name of their type.";
        let struct_field = ExportField::new(type_name, doc, Shape::Struct(embedded));
        fields.push(if computed { struct_field.into_computed() } else { struct_field });
    }
}
