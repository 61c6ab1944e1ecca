//! Redaction of secrets in everything that leaves the engine.
//!
//! A secret that is a [type](crate::value::Secret) cannot be shown by mistake. It ends up as plain text,
//! however: in the field of a resource, in an error of a library, or in the output of a program. Everything
//! that leaves the engine passes the [`Redactor`] of its graph, which knows the secrets.

mod encodings;
mod fingerprints;
mod ngrams;
mod redactor;
#[cfg(test)]
mod tests;
mod writer;

pub use self::redactor::{REDACTED, Redactor};
pub use self::writer::RedactingWriter;
