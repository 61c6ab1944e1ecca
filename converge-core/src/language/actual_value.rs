//! What a message says was found in the place of what is needed.

use crate::types::value::ValueKind;

/// The value that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actual {
    /// A value of this kind.
    Kind(ValueKind),
    /// This text, which does not say what is needed.
    Text(String),
}

impl std::fmt::Display for Actual {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "{kind}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}
