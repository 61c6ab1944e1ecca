//! What is special about the nodes of parameters.

mod kind;
mod origin;

use std::sync::Arc;

use super::{Input, Node};
use crate::report::Span;
use crate::value::{FieldError, Value};

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

impl Node {
    /// What is asked of the value of this parameter.
    pub fn param_rules(&self) -> Option<&ParamRules> {
        self.meta.as_ref()?.param.rules.as_deref()
    }

    /// What this parameter is for, as the module says.
    pub fn description(&self) -> Option<&str> {
        self.param_rules()?.description.as_deref()
    }

    /// Where this parameter was given its value from outside.
    pub fn given(&self) -> Option<&ParamOrigin> {
        self.meta.as_ref()?.param.given.as_ref()
    }
}
