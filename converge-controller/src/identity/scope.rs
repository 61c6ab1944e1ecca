//! The scope of a type: the parts of a tenancy that its resources have.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The parts of a tenancy that the resources of a type have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Neither partition nor namespace: the resources belong to the whole cluster.
    Cluster,
    /// A partition, but no namespace.
    Partition,
    /// A partition and a namespace.
    Namespace,
}

impl Scope {
    /// Returns whether the resources have this part of a tenancy.
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
    /// The partition, the larger unit.
    Partition,
    /// The namespace, the smaller unit.
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
