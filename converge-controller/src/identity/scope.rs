//! How much of a tenancy a type uses.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How much of a tenancy the resources of a type have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Neither partition nor namespace: there is one set of them in the cluster.
    Cluster,
    /// A partition, no namespace.
    Partition,
    /// A partition and a namespace.
    Namespace,
}

impl Scope {
    /// Whether the resources have this part of a tenancy.
    pub(crate) fn uses(self, unit: Unit) -> bool {
        match unit {
            Unit::Partition => self != Self::Cluster,
            Unit::Namespace => self == Self::Namespace,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Cluster => "cluster",
            Self::Partition => "partition",
            Self::Namespace => "namespace",
        })
    }
}

/// A part of a tenancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// The larger one.
    Partition,
    /// The smaller one.
    Namespace,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Partition => "partition",
            Self::Namespace => "namespace",
        })
    }
}
