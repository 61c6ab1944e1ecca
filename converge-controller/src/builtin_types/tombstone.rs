//! What is left of a resource until all that it owned is gone too.

use std::time::SystemTime;

use converge_derive::StoredResource;

use crate::clock::Random;
use crate::identity::{Generation, Id, Name, Tenancy, Uid};
use crate::registry::{StoredResource as _, Typed};
use crate::resource::Resource;

/// What is left of a resource until all that it owned is gone too. It is written in the step in which the resource goes.
/// Tombstones are of the whole cluster, wherever what they stand for was.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "internal", version = "v1", scope = cluster)]
pub struct Tombstone {
    /// The resource that is gone, with its uid.
    #[stored(tag = 1)]
    pub owner: Option<Id>,
}

/// The tombstone of a resource that goes; none of a tombstone.
///
/// Its name has the uid and nothing else: a name of 63 characters has no room for more.
pub(crate) fn of(dead: &Id, now: SystemTime, random: &mut Random) -> Option<Resource> {
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
