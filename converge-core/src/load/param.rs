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

/// Whether a node is a parameter.
pub(crate) fn is_param(node: &Node) -> bool {
    node.resource.name() == NAME
}

/// Gives a parameter its value from outside.
pub(super) fn set(node: &mut Node, input: Input) {
    node.attributes = Arc::new(vec![Attribute { field: DEFAULT, input, name_span: None }]);
}

/// Whether an attribute of a parameter is its value.
pub(super) fn is_value(attribute: &Attribute) -> bool {
    attribute.field == DEFAULT
}

/// The value that a parameter with these attributes has: the default, or what was given in its place.
pub(crate) fn value(attributes: &[Attribute]) -> Option<&Input> {
    attributes.iter().find(|attribute| is_value(attribute)).map(|attribute| &attribute.input)
}

/// Whether a parameter has a value.
pub(super) fn has_value(node: &Node) -> bool {
    value(&node.attributes).is_some()
}

/// Takes a parameter to have a value that could not be read.
pub(super) fn assume_value(node: &mut Node) {
    if is_param(node) && !has_value(node) {
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
