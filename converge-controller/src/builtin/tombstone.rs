//! What is left of a resource until all that it owned is gone too.

use crate::identity::{Generation, Id, Name, Tenancy, Type, Uid};
use crate::resource::Resource;

/// The type of tombstones. They are of the whole cluster, wherever what they stand for was.
pub(crate) const TYPE: &str = "internal.v1.Tombstone";

/// The tombstone of a resource that goes; none of a tombstone.
///
/// Its name has the uid and nothing else: a name of 63 characters has no room for more.
pub(crate) fn of(dead: &Id, uid: Uid, generation: Generation) -> Option<Resource> {
    let resource_type: Type = TYPE.parse().ok()?;
    if dead.resource_type == resource_type {
        return None;
    }
    let name: Name = format!("tombstone-{}", dead.uid?).to_lowercase().parse().ok()?;
    let id = Id::new(resource_type, Tenancy::Cluster, name).with_uid(uid);
    Some(Resource { generation: Some(generation), ..Resource::new(id) })
}
