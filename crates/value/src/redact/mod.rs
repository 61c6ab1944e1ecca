//! Texts that must not be shown, and taking them out of what is about to be shown.
//!
//! A secret that is a [type](crate::value::Secret) cannot be shown by mistake; but it ends in plain text, in the field of a
//! resource, in an error of a library, in what a program prints. Whatever leaves the engine goes through the [`Redactor`] of
//! its graph, which knows what may not.

mod encodings;
mod fingerprints;
mod ngrams;
mod redactor;
#[cfg(test)]
mod tests;
mod writer;

pub use self::redactor::{REDACTED, Redactor};
pub use self::writer::RedactingWriter;
