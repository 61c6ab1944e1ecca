//! A mistake in a field that no rule of the schema finds.

use converge_core::value::{FieldError, FieldErrorKind};

/// `message` says what is wrong with the field.
pub(crate) fn invalid(field: &'static str, message: impl Into<String>) -> FieldError {
    FieldError::new(field, FieldErrorKind::Invalid { message: message.into() })
}
