//! `param`: a named value that a module takes from outside.

use std::sync::Arc;

use async_trait::async_trait;

use crate::graph::{Attribute, Input, Node};
use crate::prelude::*;

/// The name of the type.
pub(super) const NAME: &str = "param";
/// The field that holds its value, by its index in the schema.
pub(super) const DEFAULT: usize = 0;

/// A value that the module takes from outside, with a default or without.
#[derive(Debug, converge_derive::Preparer)]
// It is part of the language, so it is in every registry already.
#[preparer(name = "param", task = ParamValue, register = false)]
pub(crate) struct Param {
    /// The value when none is given from outside. Without it the parameter is required.
    default: Option<Value>,
}

/// The value of a parameter.
#[derive(Debug, converge_derive::Export)]
pub(crate) struct ParamValue {
    /// The value.
    #[export]
    val: Value,
}

/// Gives a parameter its value from outside.
pub(super) fn set(node: &mut Node, input: Input) {
    node.attributes = Arc::new(vec![Attribute { field: DEFAULT, input, name_span: None }]);
}

/// Whether a parameter has a value.
pub(super) fn has_value(node: &Node) -> bool {
    !node.attributes.is_empty()
}

/// Takes a parameter to have a value that could not be read.
pub(super) fn assume_value(node: &mut Node) {
    if node.resource.name() == NAME && !has_value(node) {
        set(node, Input::value(Value::unknown("a default that cannot be read")));
    }
}

#[async_trait]
impl Resource for Param {
    async fn prepare(self, _cx: &Context, renderer: &dyn Renderer) -> Result<ParamValue> {
        match self.default {
            Some(val) => Ok(ParamValue { val }),
            None => Err(Error::msg(format!("{} has no value and no default", renderer.id().short()))),
        }
    }
}

#[async_trait]
impl Task for ParamValue {
    async fn check(&mut self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
        Ok(Status::new())
    }

    async fn apply(&mut self, _cx: &Context) -> Result<Status> {
        Ok(Status::new())
    }
}
