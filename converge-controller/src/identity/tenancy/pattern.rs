//! Whose resources are meant, where resources are listed.

use std::str::FromStr;

use super::{Tenancy, TenancyError, WILDCARD};
use crate::identity::name::{InvalidName, Namespace, Partition};
use crate::identity::scope::Scope;

/// One unit, or any.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector<T> {
    /// Any unit: `*`.
    Any,
    /// This one.
    Only(T),
}

impl<T: PartialEq> Selector<T> {
    /// Whether a unit is meant.
    pub fn matches(&self, unit: &T) -> bool {
        match self {
            Self::Any => true,
            Self::Only(only) => only == unit,
        }
    }
}

impl<T: AsRef<str>> Selector<T> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Any => WILDCARD,
            Self::Only(unit) => unit.as_ref(),
        }
    }
}

impl<T: FromStr<Err = InvalidName>> Selector<T> {
    fn parse(text: &str) -> Result<Self, InvalidName> {
        if text == WILDCARD { Ok(Self::Any) } else { Ok(Self::Only(text.parse()?)) }
    }
}

/// Whose resources are meant where they are listed or watched: a [`Tenancy`] in which `*` stands for any unit.
///
/// ```
/// use converge_controller::{Tenancy, TenancyPattern};
///
/// let web_everywhere = TenancyPattern::from_units("*", "web")?;
/// assert!(web_everywhere.matches(&Tenancy::from_units("eu", "web")?));
/// assert!(!web_everywhere.matches(&Tenancy::from_units("eu", "db")?));
/// # Ok::<(), converge_controller::TenancyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TenancyPattern {
    /// What is of the whole cluster.
    Cluster,
    /// What is of a partition.
    Partition(Selector<Partition>),
    /// What is of a namespace.
    Namespace(Selector<Partition>, Selector<Namespace>),
}

impl TenancyPattern {
    /// The pattern of these units; an empty one is absent.
    ///
    /// # Errors
    ///
    /// A unit that is not `*` breaks the rule of its name, or there is a namespace without a partition.
    pub fn from_units(partition: &str, namespace: &str) -> Result<Self, TenancyError> {
        match (partition, namespace) {
            ("", "") => Ok(Self::Cluster),
            ("", namespace) => {
                Err(TenancyError::NamespaceWithoutPartition { namespace: namespace.to_owned() })
            }
            (partition, "") => Ok(Self::Partition(Selector::parse(partition)?)),
            (partition, namespace) => {
                Ok(Self::Namespace(Selector::parse(partition)?, Selector::parse(namespace)?))
            }
        }
    }

    /// Partition and namespace as texts, as far as it has them.
    pub(crate) fn units(&self) -> [Option<&str>; 2] {
        match self {
            Self::Cluster => [None, None],
            Self::Partition(partition) => [Some(partition.as_str()), None],
            Self::Namespace(partition, namespace) => [Some(partition.as_str()), Some(namespace.as_str())],
        }
    }

    /// How much of a tenancy the resources that are meant have.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Cluster => Scope::Cluster,
            Self::Partition(_) => Scope::Partition,
            Self::Namespace(..) => Scope::Namespace,
        }
    }

    /// Whether a resource of this tenancy is meant.
    pub fn matches(&self, tenancy: &Tenancy) -> bool {
        match (self, tenancy) {
            (Self::Cluster, Tenancy::Cluster) => true,
            (Self::Partition(select), Tenancy::Partition(partition)) => select.matches(partition),
            (Self::Namespace(selected, select), Tenancy::Namespace(partition, namespace)) => {
                selected.matches(partition) && select.matches(namespace)
            }
            _ => false,
        }
    }
}

impl From<Tenancy> for TenancyPattern {
    /// The pattern that only this tenancy matches.
    fn from(tenancy: Tenancy) -> Self {
        match tenancy {
            Tenancy::Cluster => Self::Cluster,
            Tenancy::Partition(partition) => Self::Partition(Selector::Only(partition)),
            Tenancy::Namespace(partition, namespace) => {
                Self::Namespace(Selector::Only(partition), Selector::Only(namespace))
            }
        }
    }
}
