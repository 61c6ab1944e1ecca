//! The values of one resource on their way into its struct.

use super::rules::shape_errors;
use super::values::convert_with;
use crate::types::convert::FromValue;
use crate::types::schema::{BlockKind, Field, Rule, find_field};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, Value, ValuePath};

/// The values of a resource's fields, by index in its schema, and the errors found while taking them.
///
/// The code that `#[derive(Preparer)]` writes takes each field out of it.
#[derive(Debug)]
pub struct Fields<'a> {
    schema: &'a [Field],
    rules: &'a [Rule],
    values: Vec<Option<Value>>,
    errors: Vec<FieldError>,
}

impl<'a> Fields<'a> {
    /// Values by the index of their field, and the rules between the fields. Missing values at the end count as not written, and so does
    /// null where a field need not be written.
    #[doc(hidden)]
    pub fn new(schema: &'a [Field], rules: &'a [Rule], mut values: Vec<Option<Value>>) -> Self {
        values.resize_with(schema.len(), || None);
        for (field, value) in schema.iter().zip(&mut values) {
            value.take_if(|value| field.is_unset(value));
        }
        Self { schema, rules, values, errors: Vec::new() }
    }

    /// Sorts a map's entries to their fields; a name that is no field, or one given twice, is an error.
    pub fn from_map(block: &'a BlockKind, map: impl IntoIterator<Item = (String, Value)>) -> Self {
        let schema = &block.fields;
        let mut fields = Self::new(schema, &block.rules, Vec::new());
        // The name under which each field was written first.
        let mut names = vec![String::new(); schema.len()];
        for (name, value) in map {
            match find_field(schema, &name) {
                None => {
                    let known = schema.iter().map(|field| field.name.to_owned()).collect();
                    let kind = FieldErrorKind::UnknownField { field: name.clone(), known };
                    fields.errors.push(FieldError::new(name, kind));
                }
                Some((index, field)) if fields.values[index].is_some() => {
                    let alias = if name == field.name { &names[index] } else { &name };
                    let kind = FieldErrorKind::GivenTwice { field: field.name.into(), alias: alias.clone() };
                    fields.errors.push(FieldError::new(name, kind));
                }
                Some((index, field)) => {
                    fields.values[index] = Some(value).filter(|value| !field.is_unset(value));
                    names[index] = name;
                }
            }
        }
        fields
    }

    /// Checks what does not depend on any one value: required fields and rules between fields.
    pub fn check_shape(&mut self) {
        let is_written = |index| self.values.get(index).is_some_and(Option::is_some);
        let value = |index: usize| self.values.get(index).cloned().flatten();
        self.errors.extend(shape_errors(self.schema, self.rules, &is_written, &value));
    }

    /// Takes the value of the field at `index`: the written one, the default, or for `absent` what it
    /// gives. `None` means that an error was recorded.
    pub fn take<T: FromValue>(&mut self, index: usize, absent: impl FnOnce() -> Option<T>) -> Option<T> {
        self.take_with(index, T::from_value, absent)
    }

    /// As [`take`](Self::take), with the conversion given apart.
    #[doc(hidden)]
    pub fn take_with<T>(
        &mut self,
        index: usize,
        from_value: fn(Value, &Conversion) -> Result<T, Vec<FieldError>>,
        absent: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        let field = self.schema.get(index)?;
        let value = self.values.get_mut(index).and_then(Option::take).or_else(|| field.default.clone());
        let Some(value) = value else {
            let taken = absent();
            // A required field that is missing has been reported with the shape.
            if taken.is_none() && !self.errors.iter().any(|error| error.path == ValuePath::field(field.name))
            {
                let kind = FieldErrorKind::Missing { field: field.name.into() };
                self.errors.push(FieldError::new(field.name, kind));
            }
            return taken;
        };
        match convert_with(field, value, from_value) {
            Ok(converted) => Some(converted),
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }

    /// The errors so far. The caller gives up when there are any.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Whether any error was found.
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }
}
