//! What a field says about the footprint of its resource.

use std::fmt;

use crate::types::value::{Conversion, Value};

/// Calls `add` with the names of the things of a kind that a value stands for. A value that does not fit stands for none.
pub type NamesFn = fn(Value, &Conversion, &'static str, &mut dyn FnMut(&str));

/// What a field says about the footprint of its resource: `manages = "path:content"`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FootprintRule {
    /// What the resource has to do with the thing.
    pub verb: Verb,
    /// The kind of the thing.
    pub kind: &'static str,
    /// What about it.
    pub aspect: Option<&'static str>,
    /// What the thing is called.
    pub name: NameSource,
}

/// Where the name of a thing comes from.
#[derive(Clone, Copy)]
pub enum NameSource {
    /// It is the value of the field.
    Own(NamesFn),
    /// It is the value of this other field, when the field itself is given.
    Field(&'static str),
    /// It is always this, when the field itself is given.
    Fixed(&'static str),
}

impl PartialEq for NameSource {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            // How values are read belongs to the type of the field.
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
    /// A rule; usually made by the derives.
    pub fn new(verb: Verb, kind: &'static str, aspect: Option<&'static str>, name: NameSource) -> Self {
        Self { verb, kind, aspect, name }
    }
}
/// What a resource has to do with a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Verb {
    /// It alone says how the thing is to be.
    Manages,
    /// It sees to it that the thing is there, as others may, too: a package that several modules want.
    Ensures,
    /// It works only with the thing, and its check may look at it.
    Needs,
    /// Its changes may change the thing, too.
    Touches,
}

impl Verb {
    /// The attribute that says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Manages => "manages",
            Self::Ensures => "ensures",
            Self::Needs => "needs",
            Self::Touches => "touches",
        }
    }

    /// Whether the thing is there when the resource has been applied.
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

/// How far what a type does goes beyond the things that its resources name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Reach {
    /// Not at all.
    Named,
    /// To anything: it runs programs of others.
    Anything,
}
