//! The names of limits, and the limit that a diagnostic reports.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};

/// One of the `Limits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limit {
    /// The number of resources in a load.
    Resources,
    /// The number of bytes of text that a load or a run reads.
    Bytes,
    /// The number of bytes of a program's output that are kept.
    Output,
    /// The size of a file.
    File,
    /// The number of evaluation steps of expressions and templates.
    WorkSteps,
    /// The memory used by the values of parameters.
    WorkMemory,
}

impl Limit {
    /// All limits.
    pub const ALL: [Self; 6] =
        [Self::Resources, Self::Bytes, Self::Output, Self::File, Self::WorkSteps, Self::WorkMemory];

    /// Returns the name, which is the path of its field: `work.steps`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Resources => "resources",
            Self::Bytes => "bytes",
            Self::Output => "output",
            Self::File => "file",
            Self::WorkSteps => "work.steps",
            Self::WorkMemory => "work.memory",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Limit {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|limit| limit.name() == name).ok_or(())
    }
}

#[cfg(feature = "serde")]
impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct ReachedLimit {
    /// The limit.
    pub limit: Limit,
    /// The configured value of the limit.
    pub most: u64,
}

impl ReachedLimit {
    /// Returns the help text that says how to raise the limit.
    pub fn help(self) -> String {
        let Self { limit, most } = self;
        format!("the limit `{limit}` is {most}: `--limit {limit}=N` sets it, as does `Limits` in a program")
    }
}
