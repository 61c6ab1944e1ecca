//! Tombstones: records of deleted resources whose children are not deleted yet.

use std::time::SystemTime;

use converge_derive::StoredResource;

use crate::clock::Random;
use crate::identity::{Generation, Id, Name, Tenancy, Uid};
use crate::registry::{StoredResource as _, Typed};
use crate::resource::Resource;

/// The record of a deleted resource, kept until everything that it owned is deleted too.
///
/// It is written in the same transaction that deletes the resource. Tombstones are cluster scoped, whatever
/// the scope of the deleted resource was.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "internal", version = "v1", scope = cluster)]
pub struct Tombstone {
    /// The deleted resource, with its uid.
    #[stored(tag = 1)]
    pub owner: Option<Id>,
}

/// Returns the tombstone for a deleted resource, or `None` for a tombstone.
///
/// Its name consists only of the uid: a name of 63 characters has no room for more.
pub(crate) fn for_resource(dead: &Id, now: SystemTime, random: &mut Random) -> Option<Resource> {
    if dead.resource_type == *Tombstone::resource_type() {
        return None;
    }
    let name: Name = format!("tombstone-{}", dead.uid?).to_lowercase().parse().ok()?;
    let id = Id::new(Tombstone::resource_type().clone(), Tenancy::Cluster, name);
    let id = id.with_uid(Uid::at(now, random.bits()));
    let mut tombstone = Typed::new(id, Tombstone { owner: Some(dead.clone()) }).into_resource();
    tombstone.generation = Some(Generation::at(now, random.bits()));
    Some(tombstone)
}
