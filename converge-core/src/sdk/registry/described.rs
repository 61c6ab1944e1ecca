//! Resource types that are known by their description alone: those of plugins.

use std::sync::Arc;

use super::{AnyResource, Make, ResourceType};
use crate::sdk::error::Result;
use crate::types::check::shape_errors;
use crate::types::convert::described_value;
use crate::types::footprint::Reach;
use crate::types::schema::{Field, Schema};
use crate::types::value::{FieldError, Value};

/// Makes resources of values that fit the description of their type.
pub(crate) trait MakeResource: Send + Sync {
    /// Makes one. Only what a module gives is among the values, and no defaults.
    fn make(&self, values: Vec<(&'static str, Value)>) -> Box<dyn AnyResource>;
}

/// What describes a type, beside its schema.
pub(crate) struct Described {
    pub(crate) schema: Schema,
    /// Who has it, for messages about two types of one name.
    pub(crate) owner: &'static str,
    pub(crate) refreshes: bool,
    pub(crate) lock: Option<&'static str>,
    pub(crate) reads: Option<Reach>,
    pub(crate) changes: Option<Reach>,
    pub(crate) maker: Arc<dyn MakeResource>,
}

impl ResourceType {
    /// A type that is known by its description alone.
    pub(crate) fn described(described: Described) -> Self {
        let Described { schema, owner, refreshes, lock, reads, changes, maker } = described;
        let has_footprint = schema.fields.iter().any(Field::has_footprint);
        let reach =
            |said: Option<Reach>| said.unwrap_or(if has_footprint { Reach::Named } else { Reach::Anything });
        Self {
            has_footprint,
            has_sensitive: schema.fields.iter().any(Field::holds_sensitive),
            reads: reach(reads),
            changes: reach(changes),
            schema,
            rust_name: owner,
            make: Make::Described(maker),
            rules: None,
            own_footprint: None,
            refreshes,
            lock,
            needs: &[],
            batch: None,
        }
    }
}

/// Takes rendered values, by the index of their field, into a resource.
pub(super) fn make(
    schema: &Schema,
    maker: &dyn MakeResource,
    mut values: Vec<Option<Value>>,
) -> Result<Box<dyn AnyResource>, Vec<FieldError>> {
    values.resize_with(schema.fields.len(), || None);
    let is_written = |index: usize| values.get(index).is_some_and(Option::is_some);
    let value = |index: usize| values.get(index).cloned().flatten();
    let mut errors = shape_errors(&schema.fields, &schema.rules, &is_written, &value);
    let mut given = Vec::new();
    for (field, value) in schema.fields.iter().zip(values) {
        match value.map(|value| described_value(field, value)) {
            None => {}
            Some(Ok(value)) => given.push((field.name, value)),
            Some(Err(more)) => errors.extend(more),
        }
    }
    if errors.is_empty() { Ok(maker.make(given)) } else { Err(errors) }
}
