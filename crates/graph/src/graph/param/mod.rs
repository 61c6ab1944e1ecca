//! The parts of nodes that only parameters have.

mod kind;
mod origin;

use std::sync::Arc;

use super::input::{Attribute, Input};
use crate::diagnostic::Span;
use crate::types::value::{FieldError, Value};

pub use kind::ParamKind;
pub use origin::ParamOrigin;

/// The rules for the value of a parameter, and the origin of that value.
#[derive(Clone, Debug, Default)]
pub struct ParamMeta {
    /// The rules, shared by all calls of a module, or `None` if there are none.
    pub rules: Option<Arc<ParamRules>>,
    /// The origin of a value from outside, or `None` for the default or a value from a call.
    pub given: Option<ParamOrigin>,
}

/// The rules for the value of a parameter.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ParamRules {
    /// The type.
    pub kind: ParamKind,
    /// The span of the type.
    pub kind_span: Option<Span>,
    /// The description.
    pub description: Option<Arc<str>>,
    /// Whether the value is never shown.
    pub sensitive: bool,
    /// The conditions on the value.
    pub validations: Vec<Validation>,
}

/// A condition on the value of a parameter. Both inputs can refer to that parameter and no other.
#[derive(Debug)]
pub struct Validation {
    /// The condition that must be true.
    pub condition: Input,
    /// The error message if it is not.
    pub message: Input,
}

impl ParamRules {
    /// Converts and checks a value for the parameter.
    ///
    /// # Errors
    ///
    /// Returns an error for every part of the value that does not fit, with the path to it.
    pub fn take(&self, value: Value) -> Result<Value, Vec<FieldError>> {
        self.kind.convert(if self.sensitive { value.into_secret() } else { value })
    }
}

/// The index of the field that holds the value in the schema.
#[doc(hidden)]
pub const VALUE_FIELD: usize = 0;

/// Returns the value of a parameter with these attributes: the default, or the value given instead.
#[doc(hidden)]
pub fn value(attributes: &[Attribute]) -> Option<&Input> {
    attributes.iter().find(|attribute| attribute.field == VALUE_FIELD).map(|attribute| &attribute.input)
}
