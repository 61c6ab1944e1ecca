//! `param`: a named value that a module takes from outside.

use async_trait::async_trait;

use crate as converge_core;
use crate::export::Exports;
use crate::graph::{Attribute, Input, Node};
use crate::prelude::*;
use crate::schema::{ExportField, Field, Fields, Shape};
use crate::value::FieldError;

/// A value that the module takes from outside, with a default or without.
#[derive(Debug)]
pub(crate) struct Param {
    /// The value when none is given from outside. Without it the parameter is required.
    default: Option<Value>,
}

/// The value of a parameter.
#[derive(Debug)]
pub(crate) struct ParamValue {
    /// The value.
    val: Value,
}

impl converge_core::Preparer for Param {
    const NAME: &'static str = "param";
    type Task = ParamValue;
    const DOC: &'static str = "A value that the module takes from outside, with a default or without.";

    fn block() -> converge_core::schema::BlockKind {
        converge_core::schema::BlockKind {
            fields: vec![Field::new::<Option<Value>>(
                "default",
                "The value when none is given from outside. Without it the parameter is required.",
            )],
            rules: Vec::new(),
        }
    }

    fn from_fields(mut fields: Fields<'_>) -> Result<Self, Vec<FieldError>> {
        match fields.take(0, || Some(None)) {
            Some(default) => Ok(Self { default }),
            None => Err(fields.into_errors()),
        }
    }
}

impl Export for ParamValue {
    fn export_fields() -> Vec<ExportField> {
        vec![ExportField { name: "val", doc: "The value.", computed: false, shape: Shape::Open }]
    }

    fn exports(&self) -> Exports {
        let mut exports = Exports::new();
        exports.insert("val", self.val.clone());
        exports
    }
}

/// Gives a parameter its value from outside.
pub(super) fn set(node: &mut Node, input: Input) {
    node.attributes = vec![Attribute { field: 0, input, name_span: None }];
}

/// Whether a parameter has a value.
pub(super) fn has_value(node: &Node) -> bool {
    !node.attributes.is_empty()
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
