//! What is special about the nodes of parameters.

mod kind;
mod origin;

use std::sync::Arc;

use super::input::{Attribute, Input};
use crate::diagnostic::Span;
use crate::types::value::{FieldError, Value};

pub use kind::ParamKind;
pub use origin::ParamOrigin;

/// What a parameter says about its value, and where that value comes from.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ParamMeta {
    /// What is asked of the value; `None` when nothing is. All uses of a module share it.
    pub rules: Option<Arc<ParamRules>>,
    /// Where a value was given from outside. `None` when it has its default, or what a call gives.
    pub given: Option<ParamOrigin>,
}

/// What is asked of the value of a parameter.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ParamRules {
    /// What it must be.
    pub kind: ParamKind,
    /// Where that is written.
    pub kind_span: Option<Span>,
    /// What the parameter is for, in words.
    pub description: Option<Arc<str>>,
    /// Whether the value is never shown.
    pub sensitive: bool,
    /// Conditions that must hold.
    pub validations: Vec<Validation>,
}

/// A condition on the value of a parameter. Both inputs see that parameter and no other.
#[derive(Debug)]
pub struct Validation {
    /// What must be true.
    pub condition: Input,
    /// What to say when it is not.
    pub message: Input,
}

impl ParamRules {
    /// Takes a value for the parameter.
    ///
    /// # Errors
    ///
    /// Every part of the value that does not fit, with its path from the value.
    pub fn take(&self, value: Value) -> Result<Value, Vec<FieldError>> {
        self.kind.convert(if self.sensitive { value.into_secret() } else { value })
    }
}

/// The field that holds the value, by its index in the schema.
pub(crate) const VALUE_FIELD: usize = 0;

/// The value that a parameter with these attributes has: the default, or what was given in its place.
pub(crate) fn value(attributes: &[Attribute]) -> Option<&Input> {
    attributes.iter().find(|attribute| attribute.field == VALUE_FIELD).map(|attribute| &attribute.input)
}
