//! One problem of a resource.

use std::borrow::Cow;
use std::fmt;

use crate::identity::{Tenancy, Type};

/// A problem and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The path from the outside in; empty for the resource as a whole.
    pub path: Vec<Step>,
    /// The cause.
    pub cause: Cause,
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field.
    Field(Cow<'static, str>),
    /// An element of a list.
    Element(usize),
    /// A key of a map.
    Key(String),
    /// The value of a key in a map.
    Value(String),
}

/// The cause of a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A required value is missing.
    Missing,
    /// One of these fields is required, and all are missing.
    MissingOneOf(Vec<&'static str>),
    /// The value is empty.
    Empty,
    /// The value is allowed, but the requested feature is not supported here.
    Unsupported,
    /// A reference leads out of the tenancy in which it must stay.
    ReferenceTenancyNotEqual {
        /// The required tenancy.
        expected: Tenancy,
        /// The actual tenancy.
        got: Tenancy,
    },
    /// A reference has the wrong type.
    ReferenceType {
        /// The allowed types.
        expected: Vec<Type>,
        /// The actual type.
        got: Type,
    },
    /// The owner has the wrong type.
    OwnerType {
        /// The allowed types.
        expected: Vec<Type>,
        /// The actual type.
        got: Type,
    },
    /// The owner is in the wrong tenancy.
    OwnerTenancy {
        /// The required tenancy.
        expected: Tenancy,
        /// The actual tenancy.
        got: Tenancy,
    },
    /// Any other cause, as words that follow the path: `is not a port`.
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
    /// Prepends a path to the path of the problem.
    pub(super) fn within(self, outer: &[Step]) -> Self {
        let path = outer.iter().cloned().chain(self.path).collect();
        Self { path, cause: self.cause }
    }
}

impl fmt::Display for Problem {
    /// Writes the path as in code, then the cause: `tracks[1].name is empty`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Cause::MissingOneOf(names), []) = (&self.cause, self.path.as_slice()) {
            return write!(f, "one of {} is missing", names.join(", "));
        }
        if matches!(self.cause, Cause::OwnerType { .. } | Cause::OwnerTenancy { .. }) {
            f.write_str("the owner")?;
        } else if self.path.is_empty() {
            f.write_str("the resource")?;
        }
        for (position, step) in self.path.iter().enumerate() {
            match step {
                Step::Field(name) if position == 0 => f.write_str(name)?,
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
