//! One mistake.

use std::borrow::Cow;
use std::fmt;

use crate::identity::{Tenancy, Type};

/// One mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is, from the outside in. Empty for the resource as a whole.
    pub path: Vec<Step>,
    /// What is wrong there.
    pub cause: Cause,
}

/// A step on the way to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Into a field.
    Field(Cow<'static, str>),
    /// Into an element of a list.
    Element(usize),
    /// To a key of a map.
    Key(String),
    /// Into the value that a map has for a key.
    Value(String),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Something is required that is not there.
    Missing,
    /// One of these fields is required, and none is there.
    MissingOneOf(Vec<&'static str>),
    /// It is there, but nothing is in it.
    Empty,
    /// It could stand there, but nobody here can do what it asks for.
    Unsupported,
    /// A reference leads out of the tenancy in which it must stay.
    ReferenceTenancyNotEqual {
        /// The tenancy in which it must be.
        expected: Tenancy,
        /// The one that it has.
        got: Tenancy,
    },
    /// A reference is to a resource of a wrong type.
    ReferenceType {
        /// The types that it may be to.
        expected: Vec<Type>,
        /// The one that it is to.
        got: Type,
    },
    /// The owner is of a wrong type.
    OwnerType {
        /// The types that it may have.
        expected: Vec<Type>,
        /// The one that it has.
        got: Type,
    },
    /// The owner is in a wrong tenancy.
    OwnerTenancy {
        /// The tenancy that it must have.
        expected: Tenancy,
        /// The one that it has.
        got: Tenancy,
    },
    /// Anything else, in words that follow the place: `is not a port`.
    Other(Cow<'static, str>),
}

impl From<&'static str> for Cause {
    fn from(text: &'static str) -> Self {
        Self::Other(text.into())
    }
}

impl From<String> for Cause {
    fn from(text: String) -> Self {
        Self::Other(text.into())
    }
}

impl Problem {
    /// The same in a larger whole.
    pub(super) fn within(self, outer: &[Step]) -> Self {
        let path = outer.iter().cloned().chain(self.path).collect();
        Self { path, cause: self.cause }
    }
}

impl fmt::Display for Problem {
    /// The place as it is written in code, then what is wrong: `tracks[1].name is empty`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Cause::MissingOneOf(names), []) = (&self.cause, self.path.as_slice()) {
            return write!(f, "one of {} is missing", names.join(", "));
        }
        if matches!(self.cause, Cause::OwnerType { .. } | Cause::OwnerTenancy { .. }) {
            f.write_str("the owner")?;
        } else if self.path.is_empty() {
            f.write_str("the resource")?;
        }
        for (at, step) in self.path.iter().enumerate() {
            match step {
                Step::Field(name) if at == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Element(index) => write!(f, "[{index}]")?,
                Step::Key(key) => write!(f, ": the key {key:?}")?,
                Step::Value(key) => write!(f, "[{key:?}]")?,
            }
        }
        write!(f, " {}", self.cause)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::MissingOneOf(names) => write!(f, "lacks one of {}", names.join(", ")),
            Self::Empty => f.write_str("is empty"),
            Self::Unsupported => f.write_str("is not supported"),
            Self::ReferenceTenancyNotEqual { expected, got } => {
                write!(f, "refers to {}, but must stay in {}", place(got), place(expected))
            }
            Self::ReferenceType { expected, got } => {
                write!(f, "refers to a {got}, but must refer to {}", types(expected))
            }
            Self::OwnerType { expected, got } => write!(f, "is a {got}, but must be {}", types(expected)),
            Self::OwnerTenancy { expected, got } => {
                write!(f, "is in {}, but must be in {}", place(got), place(expected))
            }
            Self::Other(text) => f.write_str(text),
        }
    }
}

fn types(types: &[Type]) -> String {
    let names: Vec<_> = types.iter().map(|expected| format!("a {expected}")).collect();
    names.join(" or ")
}

fn place(tenancy: &Tenancy) -> String {
    match tenancy {
        Tenancy::Cluster => "the whole cluster".to_owned(),
        Tenancy::Partition(partition) => format!("the partition {partition}"),
        Tenancy::Namespace(partition, namespace) => format!("the namespace {partition}/{namespace}"),
    }
}
