//! Decode errors of this crate, as values of prost's error type.

use std::borrow::Cow;
use std::fmt::Display;

use prost::DecodeError;

/// Returns an error for well-formed bytes with an invalid meaning.
///
/// The callers add the path of the field.
#[cold]
pub fn invalid(text: impl Into<Cow<'static, str>>) -> DecodeError {
    #[expect(
        deprecated,
        reason = "prost has no other way to say what it does not know; the version is pinned"
    )]
    DecodeError::new(text)
}

/// The prefix of messages of prost.
const PREFIX: &str = "failed to decode Protobuf message: ";

/// Prepends a part to the path of an error: a field, or `[1]` for an item of a list.
///
/// Prost lists messages and fields from the inside out. A path is easier to follow, and can name the item of
/// a list.
#[cold]
pub fn within(error: &DecodeError, name: &str) -> DecodeError {
    let text = error.to_string();
    let text = text.strip_prefix(PREFIX).unwrap_or(&text);
    match text.strip_prefix('`') {
        Some(path) if path.starts_with('[') => invalid(format!("`{name}{path}")),
        Some(path) => invalid(format!("`{name}.{path}")),
        None => invalid(format!("`{name}`: {text}")),
    }
}

/// Converts the error of a value that a field contains in another form, and adds the field.
pub(crate) fn part<E: Display>(field: &str) -> impl FnOnce(E) -> DecodeError {
    move |error| within(&invalid(error.to_string()), field)
}

/// Adds a field to the error of the message in it.
pub(crate) fn inner(field: &str) -> impl FnOnce(DecodeError) -> DecodeError {
    move |error| within(&error, field)
}
