//! Partitions and namespaces, which are resources too.

use converge_derive::StoredResource;

use crate::identity::{self, Id, Tenancy};
use crate::registry::StoredResource as _;

/// A part of a cluster. Of resources that are in partitions none can be in one that does not exist.
///
/// The partition `default` is always there.
#[derive(Clone, Debug, Default, PartialEq, Eq, StoredResource)]
#[stored(group = "tenancy", version = "v1", scope = cluster)]
pub struct Partition {
    /// What it is for.
    #[stored(tag = 1)]
    pub description: String,
}

/// A part of a partition. Of resources that are in namespaces none can be in one that does not exist.
///
/// The namespace `default` of the partition `default` is always there.
#[derive(Clone, Debug, Default, PartialEq, Eq, StoredResource)]
#[stored(group = "tenancy", version = "v1", scope = partition)]
pub struct Namespace {
    /// What it is for.
    #[stored(tag = 1)]
    pub description: String,
}

/// The partition and the namespace that are always there.
pub(crate) fn always_there() -> Option<[Id; 2]> {
    let name = "default".parse().ok()?;
    let partition = Id::new(Partition::resource_type().clone(), Tenancy::Cluster, name);
    let of = Tenancy::Partition(identity::Partition::default());
    let namespace = Id::new(Namespace::resource_type().clone(), of, partition.name.clone());
    Some([partition, namespace])
}
