//! Tenancies: the partition and namespace of a resource.

use serde::{Deserialize, Serialize};

use crate::debug_as_text;
use crate::identity::name::{InvalidName, Namespace, Partition};
use crate::identity::scope::{Scope, Unit};

mod pattern;
#[cfg(test)]
mod tests;

pub use pattern::{Selector, TenancyPattern};

/// The partition and namespace of a resource.
///
/// A namespace is always in a partition.
///
/// External input has the units as texts, and an empty text means that a unit is absent:
///
/// ```
/// use converge_controller::{Scope, Tenancy};
///
/// assert_eq!(Tenancy::from_units("", "")?, Tenancy::Cluster);
/// assert_eq!(Tenancy::from_units("eu", "web")?.scope(), Scope::Namespace);
/// assert_eq!(
///     Tenancy::from_units("", "web").unwrap_err().to_string(),
///     "namespace \"web\" is given without its partition: add it, for example default"
/// );
/// # Ok::<(), converge_controller::TenancyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "Units", try_from = "Units")]
pub enum Tenancy {
    /// The whole cluster.
    Cluster,
    /// A partition.
    Partition(Partition),
    /// A namespace in a partition.
    Namespace(Partition, Namespace),
}

/// The error of texts that are not a [`Tenancy`] or a [`TenancyPattern`].
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum TenancyError {
    /// A unit breaks the rule of its name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// A namespace is given without its partition.
    #[error("namespace {namespace:?} is given without its partition: add it, for example default")]
    NamespaceWithoutPartition {
        /// The namespace.
        namespace: String,
    },
    /// `*` is used where a single resource is meant.
    #[error(
        "{unit} cannot be \"*\" here: it stands for any {unit} only where resources are listed or watched"
    )]
    Wildcard {
        /// The unit that is `*`.
        unit: Unit,
    },
}

debug_as_text!(TenancyError);

/// The text that matches any unit in a [`TenancyPattern`].
pub(super) const WILDCARD: &str = "*";

impl Tenancy {
    /// Creates the tenancy of these units; an empty text means that the unit is absent.
    ///
    /// # Errors
    ///
    /// Fails if a unit is `*` or breaks the rule of its name, or if there is a namespace without a partition.
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

    /// Returns the scope of resources with this tenancy.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Cluster => Scope::Cluster,
            Self::Partition(_) => Scope::Partition,
            Self::Namespace(..) => Scope::Namespace,
        }
    }

    /// Completes a tenancy that a resource with the tenancy `other` mentions for a type of this scope.
    ///
    /// Omitted units are those of `other`, and units that the type does not use are removed. The namespace of
    /// `other` is used only in the same partition. In a different partition `default` is used, as a namespace
    /// with the same name there would be a coincidence.
    ///
    /// The method is for hooks that fill in references, [`mutate`](crate::registry::Mutate):
    ///
    /// ```
    /// use converge_controller::{Scope, Tenancy};
    ///
    /// let album = Tenancy::from_units("eu", "music")?;
    /// let completed = |partition, namespace, scope| {
    ///     Tenancy::from_units(partition, namespace).map(|tenancy| tenancy.completed_by(&album, scope))
    /// };
    /// assert_eq!(completed("", "", Scope::Namespace)?, album);
    /// assert_eq!(completed("us", "", Scope::Namespace)?, Tenancy::from_units("us", "default")?);
    /// assert_eq!(completed("us", "web", Scope::Partition)?, Tenancy::from_units("us", "")?);
    /// # Ok::<(), converge_controller::TenancyError>(())
    /// ```
    #[must_use]
    pub fn completed_by(&self, other: &Self, scope: Scope) -> Self {
        let partition = || self.partition().or(other.partition()).cloned().unwrap_or_default();
        match scope {
            Scope::Cluster => Self::Cluster,
            Scope::Partition => Self::Partition(partition()),
            Scope::Namespace => {
                let partition = partition();
                let is_same_partition = other.partition() == Some(&partition);
                let of_other = other.namespace().filter(|_| is_same_partition);
                let namespace = self.namespace().or(of_other).cloned().unwrap_or_default();
                Self::Namespace(partition, namespace)
            }
        }
    }

    /// Returns the partition, if the tenancy has one.
    pub fn partition(&self) -> Option<&Partition> {
        match self {
            Self::Cluster => None,
            Self::Partition(partition) | Self::Namespace(partition, _) => Some(partition),
        }
    }

    /// Returns the namespace, if the tenancy has one.
    pub fn namespace(&self) -> Option<&Namespace> {
        match self {
            Self::Cluster | Self::Partition(_) => None,
            Self::Namespace(_, namespace) => Some(namespace),
        }
    }
}

/// The stored and transmitted form of a tenancy.
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
