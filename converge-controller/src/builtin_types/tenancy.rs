//! Partitions and namespaces, which are resources themselves.

use converge_derive::StoredResource;

use crate::identity::{self, Id, Tenancy, Type};
use crate::registry::{Cause, StoredResource, Typed};
use crate::resource::{Data, Finalizer};
use crate::validation::Invalid;

/// A part of a cluster.
///
/// A resource can only be in a partition that exists.
///
/// The partition `default` always exists and cannot be changed. The names `system`, `universal`, `operator`
/// and `root` are reserved, and a partition has no owner. A deleted partition disappears only after
/// everything in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, StoredResource)]
#[stored(group = "tenancy", version = "v1", scope = cluster, mutate = fill_in, validate = check)]
pub struct Partition {
    /// The purpose of the partition.
    #[stored(tag = 1)]
    pub description: String,
}

/// A part of a partition.
///
/// A resource can only be in a namespace that exists.
///
/// The namespace `default` of the partition `default` always exists and cannot be changed. The rules for
/// names, owners and deletion are those of a [`Partition`].
#[derive(Clone, Debug, Default, PartialEq, Eq, StoredResource)]
#[stored(group = "tenancy", version = "v1", scope = partition, mutate = fill_in, validate = check)]
pub struct Namespace {
    /// The purpose of the namespace.
    #[stored(tag = 1)]
    pub description: String,
}

/// Names that other systems use with a meaning of their own.
const RESERVED: [&str; 4] = ["system", "universal", "operator", "root"];

#[expect(clippy::unnecessary_wraps, reason = "the shape of the hook")]
fn fill_in<T: StoredResource>(unit: &mut Typed<T>) -> Result<(), Cause> {
    unit.resource.data.get_or_insert_with(no_data::<T>);
    Ok(())
}

fn check<T: StoredResource>(unit: &Typed<T>) -> Result<(), Invalid> {
    let mut invalid = Invalid::collect();
    let name = unit.id().name.as_str();
    invalid.field("id").field("name").require(!RESERVED.contains(&name), format!("{name:?} is reserved"));
    let is_built_in = is_default(unit.id());
    invalid.whole().require(!is_built_in, "is built in and cannot be changed");
    invalid.field("owner").require(unit.owner().is_none(), "partitions and namespaces have no owner");
    invalid.finish()
}

fn no_data<T: StoredResource>() -> Data {
    Data::new(T::resource_type(), Vec::new())
}

/// Returns the default partition and namespace, with their data.
pub(crate) fn defaults() -> Option<[(Id, Data); 2]> {
    let name = "default".parse().ok()?;
    let partition = Id::new(Partition::resource_type().clone(), Tenancy::Cluster, name);
    let tenancy = Tenancy::Partition(identity::Partition::default());
    let namespace = Id::new(Namespace::resource_type().clone(), tenancy, partition.name.clone());
    Some([(partition, no_data::<Partition>()), (namespace, no_data::<Namespace>())])
}

/// Returns whether a resource is the default partition or namespace, without which nothing works.
pub(crate) fn is_default(id: &Id) -> bool {
    id.name.as_str() == "default"
        && match &id.tenancy {
            Tenancy::Cluster => is_version_of(&id.resource_type, Partition::resource_type()),
            Tenancy::Partition(of) => {
                *of == identity::Partition::default()
                    && is_version_of(&id.resource_type, Namespace::resource_type())
            }
            Tenancy::Namespace(..) => false,
        }
}

/// Returns the finalizer with which a partition or namespace is created.
///
/// It makes the contents disappear first. Default units, and all other resources, have none.
pub(crate) fn finalizer_of(id: &Id) -> Option<Finalizer> {
    let name = if is_version_of(&id.resource_type, Partition::resource_type()) {
        "converge.tenancy/partitions"
    } else if is_version_of(&id.resource_type, Namespace::resource_type()) {
        "converge.tenancy/namespaces"
    } else {
        return None;
    };
    if is_default(id) { None } else { name.parse().ok() }
}

fn is_version_of(resource_type: &Type, version: &Type) -> bool {
    resource_type.group == version.group && resource_type.kind == version.kind
}
