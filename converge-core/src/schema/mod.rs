//! The one description of a resource type.
//!
//! The derives produce it; validation, conversion, lookups and documentation read it. Nothing about a
//! field is written twice.

mod fields;
mod kind;
mod rule;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use regex_lite::Regex;

pub use fields::{Fields, check, convert};
pub(crate) use fields::{check_known_part, shape_errors};
pub use kind::{BlockKind, Kind};
pub use rule::Rule;

use crate::value::{Conversion, FieldError, Value};

/// Describes one resource type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// The name that modules use: `file.owner`.
    pub name: &'static str,
    /// What the resource does, from the doc comment of its type.
    pub doc: &'static str,
    /// The fields, in the order of the struct.
    pub fields: Vec<Field>,
    /// Rules between fields.
    pub rules: Vec<Rule>,
    /// What the task exports.
    pub exports: Vec<ExportField>,
    /// A module that shows the resource at work; empty when there is none.
    pub example: &'static str,
}

impl Schema {
    /// A schema; usually made by `#[derive(Preparer)]`.
    pub fn new(name: &'static str, doc: &'static str, block: BlockKind, exports: Vec<ExportField>) -> Self {
        Self { name, doc, fields: block.fields, rules: block.rules, exports, example: "" }
    }

    /// The field that a module means by `name`, which may be an alias, with its index.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        find_field(&self.fields, name)
    }
}

/// The field that `name` means, which may be an alias, with its index.
pub fn find_field<'a>(fields: &'a [Field], name: &str) -> Option<(usize, &'a Field)> {
    fields.iter().enumerate().find(|(_, field)| field.name == name || field.aliases.contains(&name))
}

/// Describes one field of a resource or of a nested block.
#[derive(Clone)]
#[non_exhaustive]
pub struct Field {
    /// The name in modules.
    pub name: &'static str,
    /// Former names that are still accepted.
    pub aliases: &'static [&'static str],
    /// What the field means, from its doc comment.
    pub doc: &'static str,
    /// What it takes.
    pub kind: Kind,
    /// Must be written.
    pub required: bool,
    /// Must not be the zero value when it is written.
    pub nonempty: bool,
    /// The value when the field is not written, as data for conversion and as text for documentation.
    pub default: Option<Value>,
    /// The only values that are accepted, as text. Empty when any is.
    pub valid_values: &'static [&'static str],
    /// Smallest number that is accepted.
    pub min: Option<f64>,
    /// Largest number that is accepted.
    pub max: Option<f64>,
    /// Regular expression that text must match.
    pub pattern: Option<&'static str>,
    /// What text that matches `pattern` is, for people: `a login name: letters and digits`.
    pub expects: Option<&'static str>,
    /// Radix of integers that are given as text.
    pub base: Option<u32>,
    /// The value is never shown.
    pub sensitive: bool,
    /// What to write instead, when the field is deprecated.
    pub deprecated: Option<&'static str>,
    /// Checks one value alone: converts it to the field's type and drops it.
    pub check: fn(Value, &Conversion) -> Result<(), Vec<FieldError>>,
    /// `pattern`, from when it was first needed on; `None` inside when it is no regular expression.
    compiled: OnceLock<Option<Regex>>,
}

impl Field {
    /// A field with no rules of its own. The derives set what the attributes say.
    pub fn new<T: crate::value::FromValue>(name: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            aliases: &[],
            doc,
            kind: T::kind(),
            required: false,
            nonempty: false,
            default: None,
            valid_values: &[],
            min: None,
            max: None,
            pattern: None,
            expects: None,
            base: None,
            sensitive: false,
            deprecated: None,
            check: |value, conversion| T::from_value(value, conversion).map(drop),
            compiled: OnceLock::new(),
        }
    }

    /// How values of this field are read.
    pub fn conversion(&self) -> Conversion {
        self.base.map(Conversion::with_base).unwrap_or_default()
    }
}

impl fmt::Debug for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Field")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}

/// Equal when what people are told is equal; the conversion function does not count.
impl PartialEq for Field {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.aliases == other.aliases
            && self.doc == other.doc
            && self.kind == other.kind
            && self.required == other.required
            && self.nonempty == other.nonempty
            && self.default == other.default
            && self.valid_values == other.valid_values
            && self.min == other.min
            && self.max == other.max
            && self.pattern == other.pattern
            && self.expects == other.expects
            && self.base == other.base
            && self.sensitive == other.sensitive
            && self.deprecated == other.deprecated
    }
}

/// Describes one export of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportField {
    /// The name in lookups, which match it without regard to case.
    pub name: &'static str,
    /// What the value means, from the doc comment of its field.
    pub doc: &'static str,
    /// Known only after apply when the resource has changes.
    pub computed: bool,
    /// What is behind the name.
    pub shape: Shape,
}

impl ExportField {
    /// An export that is known whenever its task is.
    pub fn new(name: &'static str, doc: &'static str, shape: Shape) -> Self {
        Self { name, doc, computed: false, shape }
    }

    /// The same export, known only after apply when the resource has changes, with everything inside it.
    pub fn into_computed(mut self) -> Self {
        self.computed = true;
        if let Shape::Struct(fields) = self.shape {
            self.shape = Shape::Struct(fields.into_iter().map(Self::into_computed).collect());
        }
        self
    }
}

/// What a lookup finds behind the name of an export.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A value with no names of its own.
    Plain,
    /// A map whose names are data, so any further name may exist.
    Open,
    /// A struct with these names.
    Struct(Vec<ExportField>),
}
