//! Validation of lists of package names.

use std::collections::HashSet;

use converge_sdk::value::{FieldError, FieldErrorKind, PathSegment};

/// Returns an error about a field, in the form for rules between fields.
pub(super) fn invalid(field: &str, message: &str) -> Vec<FieldError> {
    vec![FieldError::new(field, FieldErrorKind::Invalid { message: message.to_owned() })]
}

/// Refuses a list that names a package twice.
pub(super) fn each_once(names: impl Iterator<Item = String>) -> Result<(), Vec<FieldError>> {
    let mut seen = HashSet::new();
    for (index, name) in names.enumerate() {
        if seen.contains(&name) {
            let message = format!("{name} is named twice");
            let mut error = FieldError::new("name", FieldErrorKind::Invalid { message });
            error.path.0.push(PathSegment::Index(index));
            return Err(vec![error]);
        }
        seen.insert(name);
    }
    Ok(())
}
