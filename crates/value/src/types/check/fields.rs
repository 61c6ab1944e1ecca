//! The field values of a resource while they are converted into its struct.

use super::rules::shape_errors;
use super::values::convert_with;
use crate::types::convert::FromValue;
use crate::types::schema::{BlockKind, Field, Rule, find_field};
use crate::types::value::{Conversion, FieldError, FieldErrorKind, Value, ValuePath};

/// The values of a resource's fields by index in its schema, and the errors found so far.
///
/// The code that `#[derive(Preparer)]` generates takes each field out of this type.
#[derive(Debug)]
pub struct Fields<'a> {
    schema: &'a [Field],
    rules: &'a [Rule],
    values: Vec<Option<Value>>,
    errors: Vec<FieldError>,
}

impl<'a> Fields<'a> {
    /// Creates the fields from values by index, with the rules between the fields.
    ///
    /// Missing values at the end count as not written, and so does null.
    #[doc(hidden)]
    pub fn new(schema: &'a [Field], rules: &'a [Rule], mut values: Vec<Option<Value>>) -> Self {
        values.resize_with(schema.len(), || None);
        for (field, value) in schema.iter().zip(&mut values) {
            *value = field.written(value.take());
        }
        Self { schema, rules, values, errors: Vec::new() }
    }

    /// Assigns the entries of a map to fields; unknown and repeated names are errors.
    pub fn from_map(block: &'a BlockKind, map: impl IntoIterator<Item = (String, Value)>) -> Self {
        let schema = &block.fields;
        let mut fields = Self::new(schema, &block.rules, Vec::new());
        // The name under which each field was first written.
        let mut names = vec![String::new(); schema.len()];
        for (name, value) in map {
            match find_field(schema, &name) {
                None => {
                    let field_names = schema.iter().map(|field| field.name.to_owned()).collect();
                    let kind = FieldErrorKind::UnknownField { field: name.clone(), known: field_names };
                    fields.errors.push(FieldError::new(name, kind));
                }
                Some((index, field)) if fields.values[index].is_some() => {
                    let alias = if name == field.name { &names[index] } else { &name };
                    let kind = FieldErrorKind::GivenTwice { field: field.name.into(), alias: alias.clone() };
                    fields.errors.push(FieldError::new(name, kind));
                }
                Some((index, field)) => {
                    fields.values[index] = field.written(Some(value));
                    names[index] = name;
                }
            }
        }
        fields
    }

    /// Checks required fields and the rules between fields.
    pub fn check_shape(&mut self) {
        let is_written = |index: usize| self.schema.get(index)?.is_written(self.values.get(index)?.as_ref());
        let value = |index: usize| self.values.get(index).cloned().flatten();
        self.errors.extend(shape_errors(self.schema, self.rules, &is_written, &value));
    }

    /// Takes the value of the field at `index`: the written one, the default, or the result of `absent`.
    ///
    /// `None` means that an error was recorded.
    pub fn take<T: FromValue>(&mut self, index: usize, absent: impl FnOnce() -> Option<T>) -> Option<T> {
        self.take_with(index, T::from_value, absent)
    }

    /// Like [`take`](Self::take), with an explicit conversion.
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
            let absent_value = absent();
            // `check_shape` has reported missing required fields already.
            if absent_value.is_none()
                && !self.errors.iter().any(|error| error.path == ValuePath::field(field.name))
            {
                let kind = FieldErrorKind::Missing { field: field.name.into() };
                self.errors.push(FieldError::new(field.name, kind));
            }
            return absent_value;
        };
        match convert_with(field, value, from_value) {
            Ok(converted) => Some(converted),
            Err(errors) => {
                self.errors.extend(errors);
                None
            }
        }
    }

    /// Returns the errors so far. The caller must stop if there are any.
    pub fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Whether any error was found.
    pub fn has_errors(&self) -> bool {
        !self.errors.is_empty()
    }
}
