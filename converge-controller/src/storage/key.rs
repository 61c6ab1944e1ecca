//! Under what text a resource is kept.

use std::fmt;

use crate::identity::{Group, Id, Kind, Namespace, Partition};

/// Under what text a resource is kept: `group/kind/partition/namespace/name`. A unit that the resource does not have
/// is `_`, which is no legal name.
///
/// The version of the group is not in it: types that differ in nothing else have one stored form. Keys in the order of
/// their bytes are in the order in which resources are listed.
///
/// ```
/// use converge_controller::{Id, Scope, storage::Key};
///
/// let id = Id::new("demo.v2.Node".parse()?, Scope::Partition.default_tenancy(), "a1".parse()?);
/// assert_eq!(Key::of(&id).as_str(), "demo/Node/default/_/a1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Box<str>);

/// What stands for a unit that there is none of.
pub(super) const ABSENT: &str = "_";

impl Key {
    /// The key of a resource. Its uid and the version of its group do not matter.
    pub fn of(id: &Id) -> Self {
        let partition = id.tenancy.partition().map_or(ABSENT, Partition::as_str);
        let namespace = id.tenancy.namespace().map_or(ABSENT, Namespace::as_str);
        let (group, kind) = (id.resource_type.group.as_str(), id.resource_type.kind.as_str());
        Self([group, kind, partition, namespace, id.name.as_str()].join("/").into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The group and kind of a key that is given as text, and the least text above all keys of these: with it a store
    /// finds the next ones without a look at every key.
    pub(super) fn kind_of(text: &str) -> Option<(Group, Kind, String)> {
        let mut parts = text.split('/');
        let (group, kind) = (parts.next()?, parts.next()?);
        // The character that follows the `/`.
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
