//! Errors in field values that no rule of the schema finds.

use converge_sdk::value::{FieldError, FieldErrorKind};

/// Returns an error about a field, with a `message` that says what is wrong.
pub(crate) fn invalid(field: &'static str, message: impl Into<String>) -> FieldError {
    FieldError::new(field, FieldErrorKind::Invalid { message: message.into() })
}
