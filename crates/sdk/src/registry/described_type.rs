//! Resource types that are known by their description only: those of plugins.

use std::sync::Arc;

use super::erased_types::AnyResource;
use crate::error::Result;
use crate::types::check::shape_errors;
use crate::types::footprint::Reach;
use crate::types::schema::Schema;
use crate::types::untyped_values::described_value;
use crate::types::value::{FieldError, Value};

/// A constructor of resources from values that fit the schema of their type.
#[doc(hidden)]
pub trait MakeResource: Send + Sync {
    /// Makes a resource.
    ///
    /// `values` has only the fields that the module sets, without defaults.
    fn make(&self, values: Vec<(&'static str, Value)>) -> Box<dyn AnyResource>;
}

#[doc(hidden)]
pub struct Described {
    #[doc(hidden)]
    pub schema: Schema,
    /// The owner of the type, for messages about two types of one name.
    #[doc(hidden)]
    pub owner: &'static str,
    #[doc(hidden)]
    pub refreshes: bool,
    #[doc(hidden)]
    pub lock: Option<&'static str>,
    #[doc(hidden)]
    pub reads: Option<Reach>,
    #[doc(hidden)]
    pub changes: Option<Reach>,
    #[doc(hidden)]
    pub maker: Arc<dyn MakeResource>,
}

/// Validates rendered values, indexed by field, and makes a resource of them.
pub(super) fn make(
    schema: &Schema,
    maker: &dyn MakeResource,
    mut values: Vec<Option<Value>>,
) -> Result<Box<dyn AnyResource>, Vec<FieldError>> {
    values.resize_with(schema.fields.len(), || None);
    for (field, value) in schema.fields.iter().zip(&mut values) {
        *value = field.written(value.take());
    }
    let is_written = |index: usize| schema.fields.get(index)?.is_written(values.get(index)?.as_ref());
    let value = |index: usize| values.get(index).cloned().flatten();
    let mut errors = shape_errors(&schema.fields, &schema.rules, &is_written, &value);
    let mut field_values = Vec::new();
    for (field, value) in schema.fields.iter().zip(values) {
        match value.map(|value| described_value(field, value)) {
            None => {}
            Some(Ok(value)) => field_values.push((field.name, value)),
            Some(Err(more)) => errors.extend(more),
        }
    }
    if errors.is_empty() { Ok(maker.make(field_values)) } else { Err(errors) }
}
