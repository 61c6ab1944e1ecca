//! The declarations of a field about the footprint of its resource.

use std::fmt;

use crate::types::value::{Conversion, Value};

/// Calls `add` with the name of each thing of a kind that a value names. Invalid values name nothing.
pub type NamesFn = fn(Value, &Conversion, &'static str, &mut dyn FnMut(&str));

/// A declaration of a field about the footprint of its resource: `manages = "path:content"`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FootprintRule {
    /// The relation of the resource to the thing.
    pub verb: Verb,
    /// The kind of the thing.
    pub kind: &'static str,
    /// The aspect of the thing.
    pub aspect: Option<&'static str>,
    /// The source of the name of the thing.
    pub name: NameSource,
}

/// The source of the name of a thing.
#[derive(Clone, Copy)]
pub enum NameSource {
    /// The value of the field itself.
    Own(NamesFn),
    /// The value of another field, if the field itself is given.
    Field(&'static str),
    /// A fixed name, if the field itself is given.
    Fixed(&'static str),
}

impl PartialEq for NameSource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // The function belongs to the type of the field, so it is not compared.
            (Self::Own(_), Self::Own(_)) => true,
            (Self::Field(a), Self::Field(b)) | (Self::Fixed(a), Self::Fixed(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Debug for NameSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Own(_) => f.write_str("Own"),
            Self::Field(name) => write!(f, "Field({name:?})"),
            Self::Fixed(name) => write!(f, "Fixed({name:?})"),
        }
    }
}

impl FootprintRule {
    /// Creates a rule. The derives usually call this function.
    pub fn new(verb: Verb, kind: &'static str, aspect: Option<&'static str>, name: NameSource) -> Self {
        Self { verb, kind, aspect, name }
    }
}
/// The relation of a resource to a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Verb {
    /// The resource alone determines the state of the thing.
    Manages,
    /// The resource ensures that the thing exists, and others may do so too, as for a shared package.
    Ensures,
    /// The resource requires the thing, and its check may look at the thing.
    Needs,
    /// Changes of the resource may also change the thing.
    Touches,
}

impl Verb {
    /// Returns the name of the attribute.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manages => "manages",
            Self::Ensures => "ensures",
            Self::Needs => "needs",
            Self::Touches => "touches",
        }
    }

    /// Whether the thing exists after the resource was applied.
    pub fn provides(self) -> bool {
        matches!(self, Self::Manages | Self::Ensures)
    }

    /// Whether a check may look at the thing.
    pub fn reads(self) -> bool {
        self != Self::Touches
    }

    /// Whether an apply may change the thing.
    pub fn changes(self) -> bool {
        self != Self::Needs
    }
}

/// The reach of a type beyond the things that its resources name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Reach {
    /// The type affects only the named things.
    Named,
    /// The type may affect anything, because it runs other programs.
    Anything,
}
