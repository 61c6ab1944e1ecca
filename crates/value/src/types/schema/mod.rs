//! The schema of a resource type.
//!
//! The derives produce the schema. Validation, conversion, lookups and documentation all read it, so that
//! nothing about a field is written twice.

mod field;
mod footprint;
mod hide;
mod names;
mod rule;

#[doc(hidden)]
pub use field::ByKind;
#[doc(hidden)]
pub use field::panicked;
pub use field::{BlockKind, Field, Kind, find_field};
pub use footprint::{FootprintRule, NameSource, NamesFn, Reach, Verb};
pub use names::FieldNames;
pub use rule::{Condition, Rule};

/// The description of a resource type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Schema {
    /// The name in modules: `file.owner`.
    pub name: &'static str,
    /// The purpose of the resource, from the doc comment of its type.
    pub doc: &'static str,
    /// The fields, in the order of the struct.
    pub fields: Vec<Field>,
    /// The rules between fields.
    pub rules: Vec<Rule>,
    /// The exports of the task.
    pub exports: Vec<ExportField>,
    /// A module that shows the resource in use; empty if there is none.
    pub example: &'static str,
}

impl Schema {
    /// Creates a schema. `#[derive(Preparer)]` usually calls this function.
    pub fn new(name: &'static str, doc: &'static str, block: BlockKind, exports: Vec<ExportField>) -> Self {
        Self { name, doc, fields: block.fields, rules: block.rules, exports, example: "" }
    }

    /// Returns the field with this name or alias, with its index.
    pub fn field(&self, name: &str) -> Option<(usize, &Field)> {
        find_field(&self.fields, name)
    }
}

/// The description of one export of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportField {
    /// The name in lookups, which ignore case.
    pub name: &'static str,
    /// The meaning of the value, from the doc comment of its field.
    pub doc: &'static str,
    /// Whether the value is known only after an apply when the resource has changes.
    pub computed: bool,
    /// The shape of the value.
    pub shape: Shape,
}

impl ExportField {
    /// Creates an export that is known whenever its task is.
    pub fn new(name: &'static str, doc: &'static str, shape: Shape) -> Self {
        Self { name, doc, computed: false, shape }
    }

    /// Returns the export, with everything inside it, marked as known only after an apply with changes.
    pub fn into_computed(mut self) -> Self {
        self.computed = true;
        if let Shape::Struct(fields) = self.shape {
            self.shape = Shape::Struct(fields.into_iter().map(Self::into_computed).collect());
        }
        self
    }
}

/// The shape of an exported value for lookups.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A value without further names.
    Plain,
    /// A map whose names are data, so that any further name may exist.
    Open,
    /// A struct with these names.
    Struct(Vec<ExportField>),
}
