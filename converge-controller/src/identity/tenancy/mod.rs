//! Whose a resource is.

use serde::{Deserialize, Serialize};

use crate::identity::name::{InvalidName, Namespace, Partition};
use crate::identity::scope::{Scope, Unit};

mod pattern;
#[cfg(test)]
mod tests;

pub use pattern::{Selector, TenancyPattern};

/// Whose a resource is. A namespace is always in a partition.
///
/// Where it comes from outside, units are texts, and an empty one is absent:
///
/// ```
/// use converge_controller::{Scope, Tenancy};
///
/// assert_eq!(Tenancy::from_units("", "")?, Tenancy::Cluster);
/// assert_eq!(Tenancy::from_units("eu", "web")?.scope(), Scope::Namespace);
/// assert_eq!(
///     Tenancy::from_units("", "web").unwrap_err().to_string(),
///     "namespace \"web\" is given without its partition"
/// );
/// # Ok::<(), converge_controller::TenancyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "Units", try_from = "Units")]
pub enum Tenancy {
    /// Of the whole cluster.
    Cluster,
    /// Of one partition.
    Partition(Partition),
    /// Of one namespace.
    Namespace(Partition, Namespace),
}

/// Texts are not a [`Tenancy`] or a [`TenancyPattern`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TenancyError {
    /// A unit breaks the rule of its name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// There is a namespace, but nothing says of which partition.
    #[error("namespace {namespace:?} is given without its partition")]
    NamespaceWithoutPartition {
        /// The namespace.
        namespace: String,
    },
    /// `*` where one resource is meant.
    #[error(
        "{unit} cannot be \"*\" here: it stands for any {unit} only where resources are listed or watched"
    )]
    Wildcard {
        /// The unit that has it.
        unit: Unit,
    },
}

/// The text that stands for any unit in a [`TenancyPattern`].
const WILDCARD: &str = "*";

impl Tenancy {
    /// The tenancy of these units; an empty one is absent.
    ///
    /// # Errors
    ///
    /// A unit is `*` or breaks the rule of its name, or there is a namespace without a partition.
    pub fn from_units(partition: &str, namespace: &str) -> Result<Self, TenancyError> {
        for (unit, text) in [(Unit::Partition, partition), (Unit::Namespace, namespace)] {
            if text == WILDCARD {
                return Err(TenancyError::Wildcard { unit });
            }
        }
        match (partition, namespace) {
            ("", "") => Ok(Self::Cluster),
            ("", namespace) => {
                Err(TenancyError::NamespaceWithoutPartition { namespace: namespace.to_owned() })
            }
            (partition, "") => Ok(Self::Partition(partition.parse()?)),
            (partition, namespace) => Ok(Self::Namespace(partition.parse()?, namespace.parse()?)),
        }
    }

    /// How much of a tenancy this is.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Cluster => Scope::Cluster,
            Self::Partition(_) => Scope::Partition,
            Self::Namespace(..) => Scope::Namespace,
        }
    }

    /// The partition, unless it is of the whole cluster.
    pub fn partition(&self) -> Option<&Partition> {
        match self {
            Self::Cluster => None,
            Self::Partition(partition) | Self::Namespace(partition, _) => Some(partition),
        }
    }

    /// The namespace, when it is of one.
    pub fn namespace(&self) -> Option<&Namespace> {
        match self {
            Self::Cluster | Self::Partition(_) => None,
            Self::Namespace(_, namespace) => Some(namespace),
        }
    }
}

/// A tenancy as it is stored and sent.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Units {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    partition: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    namespace: String,
}

impl TryFrom<Units> for Tenancy {
    type Error = TenancyError;

    fn try_from(units: Units) -> Result<Self, TenancyError> {
        Self::from_units(&units.partition, &units.namespace)
    }
}

impl From<Tenancy> for Units {
    fn from(tenancy: Tenancy) -> Self {
        let (partition, namespace) = match tenancy {
            Tenancy::Cluster => (String::new(), String::new()),
            Tenancy::Partition(partition) => (partition.into(), String::new()),
            Tenancy::Namespace(partition, namespace) => (partition.into(), namespace.into()),
        };
        Self { partition, namespace }
    }
}
