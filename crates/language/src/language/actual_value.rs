//! The offending value as an error message describes it.

use crate::types::value::ValueKind;

/// A value that was found where another kind or text is required.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Actual {
    /// A value of the wrong kind.
    Kind(ValueKind),
    /// A value of the wrong kind in a template, by the name of its kind.
    Name(&'static str),
    /// A text with unusable content.
    Text(String),
}

impl std::fmt::Display for Actual {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Kind(kind) => write!(f, "{kind}"),
            Self::Name(name) => f.write_str(name),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}
