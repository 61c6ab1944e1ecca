//! Removal of errors about missing fields that are merely misspelt.

use std::sync::Arc;

use crate::diagnostic::{close_names, is_foreign_field};
use converge_value::types::value::{FieldError, FieldErrorKind, PathSegment, ValuePath};

/// Removes errors about missing fields whose names are misspelt, which is reported separately.
///
/// `unknown` are the unknown field names outside of blocks.
pub(crate) fn drop_misspelt(errors: &mut Vec<FieldError>, unknown: &[Arc<str>]) {
    if errors.is_empty() {
        return;
    }
    let nested: Vec<ValuePath> = errors
        .iter()
        .filter(|error| matches!(error.kind, FieldErrorKind::UnknownField { .. }))
        .map(|error| error.path.clone())
        .collect();
    let misspelt = |path: &ValuePath, field: &String| {
        let is_close =
            |name: &str| !close_names(name, [field.as_str()]).is_empty() || is_foreign_field(name, field);
        let parent_of = |path: &ValuePath| path.0.split_last().map(|(_, around)| around.to_vec());
        match path.0.len() {
            0 | 1 => unknown.iter().any(|name| is_close(name)),
            _ => nested.iter().filter(|other| parent_of(other) == parent_of(path)).any(|other| {
                match other.0.last() {
                    Some(PathSegment::Name(name)) => is_close(name),
                    _ => false,
                }
            }),
        }
    };
    errors.retain(|error| match &error.kind {
        FieldErrorKind::Missing { field }
        | FieldErrorKind::RequiredIf { field, .. }
        | FieldErrorKind::RequiredUnless { field, .. } => !misspelt(&error.path, field),
        FieldErrorKind::RequiredOneOf { fields } => !fields.iter().any(|field| misspelt(&error.path, field)),
        _ => true,
    });
}
