//! The kinds of values that fields take.

use std::fmt;

use super::Field;

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Kind {
    /// Any value.
    Any,
    /// Text; numbers and booleans stand for their text.
    String,
    /// `true` or `false`.
    Bool,
    /// A whole number within the bounds of its type.
    Int {
        /// Smallest value of the type.
        min: i128,
        /// Largest value of the type.
        max: i128,
    },
    /// A number.
    Float,
    /// A duration: `"1m30s"`, or whole seconds.
    Duration,
    /// A time: RFC 3339, or a plain date.
    Time,
    /// One of a fixed set of words.
    Enum(&'static [&'static str]),
    /// A list.
    List(Box<Kind>),
    /// One value, or a list of them.
    OneOrMany(Box<Kind>),
    /// A map from names to values.
    Map(Box<Kind>),
    /// A block with fields of its own.
    Block(Box<BlockKind>),
}

/// The fields of a nested block and the rules between them.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockKind {
    /// The fields, in the order of the struct.
    pub fields: Vec<Field>,
    /// Rules between the fields.
    pub rules: Vec<super::Rule>,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any value"),
            Self::String => f.write_str("a string"),
            Self::Bool => f.write_str("a bool"),
            Self::Int { .. } => f.write_str("an integer"),
            Self::Float => f.write_str("a number"),
            Self::Duration => f.write_str("a duration"),
            Self::Time => f.write_str("a time"),
            Self::Enum(words) => write!(f, "one of {}", words.join(", ")),
            Self::List(item) => write!(f, "a list ({item} each)"),
            Self::OneOrMany(item) => write!(f, "{item}, or a list of them"),
            Self::Map(item) => write!(f, "a map ({item} each)"),
            Self::Block(_) => f.write_str("a block"),
        }
    }
}
