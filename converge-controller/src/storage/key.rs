//! The storage keys of resources.

use std::fmt;

use crate::identity::{Group, Id, Kind, Namespace, Partition};

/// The storage key of a resource: `group/kind/partition/namespace/name`.
///
/// An absent unit is `_`.
///
/// `_` is not a valid name. The version of the type is not part of the key: types that differ only in it have
/// one stored form. The byte order of keys is the order in which resources are listed.
///
/// ```
/// use converge_controller::{Id, Scope, storage::Key};
///
/// let id = Id::new("demo.v2.Node".parse()?, Scope::Partition.default_tenancy(), "a1".parse()?);
/// assert_eq!(Key::from_id(&id).as_str(), "demo/Node/default/_/a1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Box<str>);

/// The text that stands for an absent unit.
pub(super) const ABSENT: &str = "_";

impl Key {
    /// Returns the key of a resource, ignoring its uid and the version of its type.
    pub fn from_id(id: &Id) -> Self {
        let partition = id.tenancy.partition().map_or(ABSENT, Partition::as_str);
        let namespace = id.tenancy.namespace().map_or(ABSENT, Namespace::as_str);
        let (group, kind) = (id.resource_type.group.as_str(), id.resource_type.kind.as_str());
        Self([group, kind, partition, namespace, id.name.as_str()].join("/").into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the group and kind of a key, and the smallest text above all keys of this kind.
    ///
    /// With that text a store finds the next kind without visiting every key.
    pub(super) fn kind_of(text: &str) -> Option<(Group, Kind, String)> {
        let mut parts = text.split('/');
        let (group, kind) = (parts.next()?, parts.next()?);
        // `0` is the character after `/`.
        let next = format!("{group}/{kind}0");
        Some((group.parse().ok()?, kind.parse().ok()?, next))
    }
}

impl std::borrow::Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
