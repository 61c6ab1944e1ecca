//! Queries of stores.

use crate::identity::{Group, Id, Kind, Selector, TenancyPattern, Type};

use super::key::ABSENT;

/// A query of a store: resources of a group and kind, in some tenancies, with a name prefix.
///
/// The version of the type does not matter.
///
/// ```
/// use converge_controller::{Id, Scope, TenancyPattern, storage::Query};
///
/// let artist = "demo.v2.Artist".parse()?;
/// let query = Query::new(&artist, TenancyPattern::from_units("default", "*")?).with_prefix("ko");
/// assert!(query.matches(&Id::new(artist, Scope::Namespace.default_tenancy(), "korn".parse()?)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    /// The group of the type.
    pub group: Group,
    /// The kind of the type.
    pub kind: Kind,
    /// The tenancies.
    pub tenancy: TenancyPattern,
    /// The prefix of the names.
    pub name_prefix: String,
}

impl Query {
    /// Creates a query of all resources of a type, in every version, in some tenancies.
    pub fn new(resource_type: &Type, tenancy: TenancyPattern) -> Self {
        Self {
            group: resource_type.group.clone(),
            kind: resource_type.kind.clone(),
            tenancy,
            name_prefix: String::new(),
        }
    }

    /// Restricts the query to names with this prefix.
    pub fn with_prefix(self, name_prefix: impl Into<String>) -> Self {
        Self { name_prefix: name_prefix.into(), ..self }
    }

    /// Returns whether the query matches a resource.
    pub fn matches(&self, id: &Id) -> bool {
        self.group == id.resource_type.group
            && self.kind == id.resource_type.kind
            && self.tenancy.matches(&id.tenancy)
            && id.name.as_str().starts_with(&self.name_prefix)
    }

    /// Returns whether the query matches the resource with this [`Key`](super::Key).
    pub(super) fn matches_key(&self, key: &str) -> bool {
        let mut parts = key.split('/');
        let [group, kind, partition, namespace, name] =
            std::array::from_fn(|_| parts.next().unwrap_or_default());
        let is_in = match &self.tenancy {
            TenancyPattern::Cluster => partition == ABSENT && namespace == ABSENT,
            TenancyPattern::Partition(of) => is_unit(of, partition) && namespace == ABSENT,
            TenancyPattern::Namespace(of, within) => is_unit(of, partition) && is_unit(within, namespace),
        };
        is_in
            && group == self.group.as_str()
            && kind == self.kind.as_str()
            && name.starts_with(&self.name_prefix)
    }

    /// Returns the longest common prefix of the [`Key`](super::Key)s of all matching resources.
    ///
    /// A key with this prefix need not [match](Self::matches).
    pub fn key_prefix(&self) -> String {
        let mut prefix = format!("{}/{}/", self.group, self.kind);
        let (partition, namespace) = match &self.tenancy {
            TenancyPattern::Cluster => (Some(ABSENT), Some(ABSENT)),
            TenancyPattern::Partition(partition) => (only(partition), Some(ABSENT)),
            TenancyPattern::Namespace(partition, namespace) => (only(partition), only(namespace)),
        };
        for unit in [partition, namespace] {
            let Some(unit) = unit else { return prefix };
            prefix.push_str(unit);
            prefix.push('/');
        }
        prefix + &self.name_prefix
    }
}

/// Returns whether a selector matches a part of a key.
fn is_unit<T: AsRef<str>>(selector: &Selector<T>, unit: &str) -> bool {
    unit != ABSENT && only(selector).is_none_or(|name| name == unit)
}

/// Returns the selected unit, unless any is selected.
fn only<T: AsRef<str>>(selector: &Selector<T>) -> Option<&str> {
    match selector {
        Selector::Any => None,
        Selector::Only(unit) => Some(unit.as_ref()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::{Scope, Tenancy};
    use crate::storage::Key;

    #[test]
    fn a_key_is_meant_as_its_identity_is() {
        let types =
            ["demo.v2.Artist", "demo.v2.Album", "other.v2.Artist"].map(|name| name.parse::<Type>().unwrap());
        let units = [
            (None, None),
            (Some("default"), None),
            (Some("a"), None),
            (Some("a"), Some("default")),
            (Some("a"), Some("b")),
        ];
        let tenancies = units.map(|(partition, namespace)| match (partition, namespace) {
            (Some(partition), Some(namespace)) => {
                Tenancy::Namespace(partition.parse().unwrap(), namespace.parse().unwrap())
            }
            (Some(partition), None) => Tenancy::Partition(partition.parse().unwrap()),
            _ => Scope::Cluster.default_tenancy(),
        });
        let mut count = 0;
        for pattern in [("", ""), ("*", ""), ("a", ""), ("*", "*"), ("a", "*"), ("a", "b"), ("*", "b")] {
            let pattern = TenancyPattern::from_units(pattern.0, pattern.1).unwrap();
            for prefix in ["", "ko", "korn"] {
                let query = Query::new(&types[0], pattern.clone()).with_prefix(prefix);
                for (resource_type, tenancy) in types
                    .iter()
                    .flat_map(|resource_type| tenancies.iter().map(move |tenancy| (resource_type, tenancy)))
                {
                    for name in ["kolsch", "korn", "tool"] {
                        let id = Id::new(resource_type.clone(), tenancy.clone(), name.parse().unwrap());
                        let is_meant = query.matches(&id);
                        assert_eq!(query.matches_key(Key::from_id(&id).as_str()), is_meant, "{query:?} {id}");
                        count += usize::from(is_meant);
                    }
                }
            }
        }
        assert!(count > 50, "{count}");
    }
}
