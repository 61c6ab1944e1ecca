//! Diagnostics for wrong field values, at the places where the values are written.

use super::evaluator::takes_text;
use crate::diagnostic::{Diagnostic, Span};
use crate::graph::{Attribute, InputKind, Node};
use crate::types::schema::Field;
use crate::types::value::{FieldError, FieldErrorKind, PathSegment, Value, ValueKind, ValuePath};
use converge_value::types::check;

/// The label of a field that is written, but as null.
const NULL: &str = "null counts as not written";

impl Node {
    /// Returns the diagnostic for an error in a field of this node.
    pub fn diagnose(&self, error: &FieldError) -> Diagnostic {
        self.diagnose_at(error, &self.places(error))
    }

    /// Like [`diagnose`](Self::diagnose), at places that the caller knows better.
    #[doc(hidden)]
    pub fn diagnose_at(&self, error: &FieldError, places: &[(Span, &str)]) -> Diagnostic {
        // Without a place in a file, the message has to name the resource.
        let resource = if places.is_empty() { self.id.short() } else { self.resource.name() };
        let message = match error.path.0.as_slice() {
            // These errors name the field themselves.
            [] => format!("{resource}: {}", error.kind),
            // The message does not name the enclosing block.
            [block @ .., _] if error.kind.names_field() && !block.is_empty() => {
                format!("{resource}.{}: {}", ValuePath(block.to_vec()), error.kind)
            }
            _ if error.kind.names_field() => format!("{resource}: {}", error.kind),
            _ => format!("{resource}.{}: {}", error.path, error.kind),
        };
        let mut diagnostic = Diagnostic::error(error.kind.code(), message);
        for (span, text) in places {
            diagnostic = diagnostic.label(*span, *text);
        }
        diagnostic.help = error.kind.help().or_else(|| entries_of_map(error));
        diagnostic
    }

    /// Checks required fields and the rules between fields, as far as `value` knows the fields.
    ///
    /// A template is written whatever its text will be; any other unknown value may be null.
    #[doc(hidden)]
    pub fn shape_errors(&self, value: &dyn Fn(&Attribute, &Field) -> Value) -> Vec<FieldError> {
        let schema = self.resource.schema();
        let mut values = vec![None; schema.fields.len()];
        for attribute in self.attributes.iter() {
            values[attribute.field] = Some((value(attribute, &schema.fields[attribute.field]), attribute));
        }
        let written = |index: usize| {
            let (field, entry) = (schema.fields.get(index)?, values.get(index)?.as_ref());
            let is_text = |(_, attribute): &(Value, &Attribute)| {
                matches!(attribute.input.kind, InputKind::Template(_)) && takes_text(&field.kind)
            };
            field
                .is_written(entry.map(|(value, _)| value))
                .or_else(|| entry.is_some_and(is_text).then_some(true))
        };
        let value = |index: usize| values.get(index)?.as_ref().map(|(value, _)| value.clone());
        check::shape_errors(&schema.fields, &schema.rules, &written, &value)
    }

    fn places(&self, error: &FieldError) -> Vec<(Span, &'static str)> {
        let nested = error.path.0.len() > 1;
        let spans_of = |names: &[String], text: &'static str| {
            names.iter().filter_map(|name| Some((self.name_span(name)?, text))).collect::<Vec<_>>()
        };
        let mut places = match &error.kind {
            FieldErrorKind::MutuallyExclusive { written } if !nested => {
                let mut places = spans_of(written, "also written here");
                // The last field is the one too many, so its place comes first.
                places.reverse();
                if let Some(first) = places.first_mut() {
                    first.1 = "cannot be written together with the others";
                }
                places
            }
            FieldErrorKind::Conflicts { field, other } if !nested => {
                let mut places = spans_of(std::slice::from_ref(field), "");
                places.extend(spans_of(std::slice::from_ref(other), "conflicts with this"));
                places
            }
            FieldErrorKind::RequiredTogether { written, .. } if !nested => {
                spans_of(written, "written without the others")
            }
            FieldErrorKind::Requires { field, needs } if !nested => {
                let mut places = spans_of(std::slice::from_ref(field), "");
                places.extend(spans_of(std::slice::from_ref(needs), NULL));
                places
            }
            FieldErrorKind::Missing { field }
            | FieldErrorKind::RequiredIf { field, .. }
            | FieldErrorKind::RequiredUnless { field, .. }
                if !nested =>
            {
                spans_of(std::slice::from_ref(field), NULL)
            }
            FieldErrorKind::RequiredOneOf { fields } if !nested => spans_of(fields, NULL),
            FieldErrorKind::UnknownField { .. } if nested => {
                self.entry_span(&error.path.0).map(|span| (span, "no such field")).into_iter().collect()
            }
            _ => self.value_span(&error.path.0).map(|span| (span, "")).into_iter().collect(),
        };
        if places.is_empty() {
            places.extend(self.span.map(|span| (span, "")));
        }
        places
    }

    fn attribute(&self, name: &str) -> Option<&Attribute> {
        let (index, _) = self.resource.schema().field(name)?;
        self.attributes.iter().find(|attribute| attribute.field == index)
    }

    fn name_span(&self, field: &str) -> Option<Span> {
        self.attribute(field)?.name_span
    }

    /// Returns the span of the name at the end of a path.
    fn entry_span(&self, path: &[PathSegment]) -> Option<Span> {
        let (last, parent_path) = path.split_last()?;
        let (PathSegment::Name(field), rest) = parent_path.split_first()? else { return None };
        let input = &self.attribute(field)?.input;
        input.at(rest).name_of(last).or_else(|| input.span_at(rest))
    }

    fn value_span(&self, path: &[PathSegment]) -> Option<Span> {
        let (PathSegment::Name(field), rest) = path.split_first()? else { return None };
        self.attribute(field)?.input.span_at(rest)
    }
}

/// Returns the form of a map of texts for a list, or for a block that is written twice.
fn entries_of_map(error: &FieldError) -> Option<String> {
    match (&error.kind, error.path.0.last()?) {
        (FieldErrorKind::WrongKind { expected, found: ValueKind::List }, PathSegment::Name(field))
            if expected.starts_with("a map (a string") =>
        {
            Some(format!("write one block: {field} {{ NAME = \"VALUE\" }}"))
        }
        _ => None,
    }
}
