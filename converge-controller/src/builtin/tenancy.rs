//! Partitions and namespaces, which are resources too.

use converge_derive::StoredResource;

use crate::identity::{self, Id, Tenancy};
use crate::registry::{StoredResource, Typed};
use crate::validation::Invalid;

/// A part of a cluster. Of resources that are in partitions none can be in one that does not exist.
///
/// The partition `default` is always there. `system`, `universal`, `operator` and `root` are no names for one, and nothing
/// owns one.
#[derive(Clone, Debug, Default, PartialEq, Eq, StoredResource)]
#[stored(group = "tenancy", version = "v1", scope = cluster, validate = check)]
pub struct Partition {
    /// What it is for.
    #[stored(tag = 1)]
    pub description: String,
}

/// A part of a partition. Of resources that are in namespaces none can be in one that does not exist.
///
/// The namespace `default` of the partition `default` is always there. For names and owners the rules are those of a
/// [`Partition`].
#[derive(Clone, Debug, Default, PartialEq, Eq, StoredResource)]
#[stored(group = "tenancy", version = "v1", scope = partition, validate = check)]
pub struct Namespace {
    /// What it is for.
    #[stored(tag = 1)]
    pub description: String,
}

/// What other systems take for something of their own.
const RESERVED: [&str; 4] = ["system", "universal", "operator", "root"];

fn check<T: StoredResource>(unit: &Typed<T>) -> Result<(), Invalid> {
    let mut invalid = Invalid::collect();
    let name = unit.id().name.as_str();
    invalid.field("id").field("name").require(!RESERVED.contains(&name), format!("{name:?} is reserved"));
    invalid.field("owner").require(unit.owner().is_none(), "nothing owns a partition or a namespace");
    invalid.finish()
}

/// The partition and the namespace that are always there.
pub(crate) fn always_there() -> Option<[Id; 2]> {
    let name = "default".parse().ok()?;
    let partition = Id::new(Partition::resource_type().clone(), Tenancy::Cluster, name);
    let of = Tenancy::Partition(identity::Partition::default());
    let namespace = Id::new(Namespace::resource_type().clone(), of, partition.name.clone());
    Some([partition, namespace])
}
