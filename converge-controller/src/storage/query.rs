//! Which resources are meant, where many are.

use crate::identity::{Group, Id, Kind, Selector, TenancyPattern, Type};

use super::key::ABSENT;

/// Which resources are meant, where many are: those of a group and kind, of whatever version, in certain tenancies,
/// whose names begin with a text.
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
    /// The family of the type.
    pub group: Group,
    /// What the type describes.
    pub kind: Kind,
    /// The tenancies.
    pub tenancy: TenancyPattern,
    /// What the names begin with.
    pub name_prefix: String,
}

impl Query {
    /// All resources of a type, of whatever version, in certain tenancies.
    pub fn new(resource_type: &Type, tenancy: TenancyPattern) -> Self {
        Self {
            group: resource_type.group.clone(),
            kind: resource_type.kind.clone(),
            tenancy,
            name_prefix: String::new(),
        }
    }

    /// Only those whose names begin with a text.
    pub fn with_prefix(self, name_prefix: impl Into<String>) -> Self {
        Self { name_prefix: name_prefix.into(), ..self }
    }

    /// Whether a resource is meant.
    pub fn matches(&self, id: &Id) -> bool {
        self.group == id.resource_type.group
            && self.kind == id.resource_type.kind
            && self.tenancy.matches(&id.tenancy)
            && id.name.as_str().starts_with(&self.name_prefix)
    }

    /// What the [`Key`](super::Key)s of all that is meant begin with, as far as the query says. What begins with it
    /// need not be [meant](Self::matches).
    pub fn key_prefix(&self) -> String {
        let mut prefix = format!("{}/{}/", self.group, self.kind);
        let (partition, namespace) = match &self.tenancy {
            TenancyPattern::Cluster => (Some(ABSENT), Some(ABSENT)),
            TenancyPattern::Partition(partition) => (only(partition), Some(ABSENT)),
            TenancyPattern::Namespace(partition, namespace) => (only(partition), only(namespace)),
        };
        for part in [partition, namespace] {
            let Some(part) = part else { return prefix };
            prefix.push_str(part);
            prefix.push('/');
        }
        prefix + &self.name_prefix
    }
}

/// The unit that is meant, unless any is.
fn only<T: AsRef<str>>(selector: &Selector<T>) -> Option<&str> {
    match selector {
        Selector::Any => None,
        Selector::Only(unit) => Some(unit.as_ref()),
    }
}
