//! The controller that deletes the children of deleted resources.

use crate::builtin_types::Tombstone;
use crate::registry::Typed;
use crate::resource::Resource;
use crate::runtime::{Action, Controller, Definition, Request, RunError, Runtime};
use crate::storage::Consistency;

/// Returns the controller that deletes everything a dead resource owned, and then its tombstone.
///
/// Each deleted child leaves a tombstone of its own, so the deletion cascades.
///
/// One pass is enough: a child is created in the same transaction that checks for its owner, so none is
/// created after the tombstone. The pass can be repeated, so it may also be interrupted at any point.
pub(super) fn controller() -> Definition {
    Controller::<Tombstone>::new("reaper").reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<Tombstone>) -> Result<Action, RunError> {
    let client = &runtime.client;
    let Some(stored) = client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let tombstone = Typed::<Tombstone>::decode(Resource::clone(&stored))?;
    if let Some(uid) = tombstone.owner.as_ref().and_then(|owner| owner.uid) {
        for child in client.list_by_uid_of_owner(uid).await? {
            // A child with finalizers is only marked for deletion. It will disappear without the tombstone of
            // its owner.
            client.delete(&child.id, None).await?;
        }
    }
    client.delete(&stored.id, None).await?;
    Ok(Action::await_change())
}
