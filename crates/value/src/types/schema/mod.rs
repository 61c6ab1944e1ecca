//! The one description of a resource type.
//!
//! The derives produce it; validation, conversion, lookups and documentation read it. Nothing about a
//! field is written twice.

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
