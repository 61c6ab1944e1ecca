//! The errors of our own in what prost reads.

use std::borrow::Cow;
use std::fmt::Display;

use prost::DecodeError;

/// An error in bytes that are well-formed but mean nothing: the field that is read is added on the way up.
#[cold]
pub fn invalid(text: impl Into<Cow<'static, str>>) -> DecodeError {
    #[expect(
        deprecated,
        reason = "prost has no other way to say what it does not know; the version is pinned"
    )]
    DecodeError::new(text)
}

/// What prost shows before what is wrong.
const PREFIX: &str = "failed to decode Protobuf message: ";

/// An error with the part of the path that leads to where it was found: a field, or `[1]` for an item.
///
/// Prost has names of messages and fields from the inside out. A path as one writes it is easier to follow, and it can
/// tell which item of a list it is.
#[cold]
pub fn within(error: &DecodeError, part: &str) -> DecodeError {
    let text = error.to_string();
    let text = text.strip_prefix(PREFIX).unwrap_or(&text);
    match text.strip_prefix('`') {
        Some(path) if path.starts_with('[') => invalid(format!("`{part}{path}")),
        Some(path) => invalid(format!("`{part}.{path}")),
        None => invalid(format!("`{part}`: {text}")),
    }
}

/// The error of a value that stands in a field as another, on that field.
pub(crate) fn part<E: Display>(field: &str) -> impl FnOnce(E) -> DecodeError {
    move |error| within(&invalid(error.to_string()), field)
}

/// The error of a message, on the field that has it.
pub(crate) fn inner(field: &str) -> impl FnOnce(DecodeError) -> DecodeError {
    move |error| within(&error, field)
}
