//! Limits, by name.

use std::fmt;
use std::str::FromStr;

#[cfg(feature = "serde")]
use serde::{Serialize, Serializer};

/// One of the [`Limits`](crate::Limits).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limit {
    /// How many resources a load may make.
    Resources,
    /// How much text a load, or a run, may read.
    Bytes,
    /// How much of what a program prints is kept.
    Output,
    /// How large a file may become.
    File,
    /// How many steps expressions and templates may take.
    WorkSteps,
    /// How much memory the values of parameters may take.
    WorkMemory,
}

impl Limit {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Resources, Self::Bytes, Self::Output, Self::File, Self::WorkSteps, Self::WorkMemory];

    /// Its name, which is the way to its field: `work.steps`.
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

/// A limit that something was refused for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct ReachedLimit {
    /// Which one.
    pub limit: Limit,
    /// What it is set to.
    pub most: u64,
}

impl ReachedLimit {
    /// How the limit is raised.
    pub fn help(self) -> String {
        let Self { limit, most } = self;
        format!("the limit `{limit}` is {most}: `--limit {limit}=N` sets it, as does `Limits` in a program")
    }
}
