//! Patterns of tenancies, for lists and watches.

use std::str::FromStr;

use super::{Tenancy, TenancyError, WILDCARD};
use crate::identity::name::{InvalidName, Namespace, Partition};
use crate::identity::scope::Scope;

/// A selection of one unit, or of any.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector<T> {
    /// Any unit: `*`.
    Any,
    /// Only this unit.
    Only(T),
}

impl<T: PartialEq> Selector<T> {
    /// Returns whether the selector matches a unit.
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

/// A pattern of tenancies for lists and watches, in which `*` matches any unit.
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
    /// Resources of the whole cluster.
    Cluster,
    /// Resources of partitions.
    Partition(Selector<Partition>),
    /// Resources of namespaces.
    Namespace(Selector<Partition>, Selector<Namespace>),
}

impl TenancyPattern {
    /// Creates the pattern of these units; an empty text means that the unit is absent.
    ///
    /// # Errors
    ///
    /// Fails if a unit that is not `*` breaks the rule of its name, or if there is a namespace without a
    /// partition.
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

    /// Returns the partition and the namespace as texts, if the pattern has them.
    pub(crate) fn units(&self) -> [Option<&str>; 2] {
        match self {
            Self::Cluster => [None, None],
            Self::Partition(partition) => [Some(partition.as_str()), None],
            Self::Namespace(partition, namespace) => [Some(partition.as_str()), Some(namespace.as_str())],
        }
    }

    /// Returns the scope of the matched resources.
    pub fn scope(&self) -> Scope {
        match self {
            Self::Cluster => Scope::Cluster,
            Self::Partition(_) => Scope::Partition,
            Self::Namespace(..) => Scope::Namespace,
        }
    }

    /// Returns whether the pattern matches a tenancy.
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
    /// Creates the pattern that matches only this tenancy.
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
