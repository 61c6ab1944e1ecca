//! Deletes what a resource owned that is gone.

use crate::builtin_types::Tombstone;
use crate::registry::{DataError, Typed};
use crate::resource::Resource;
use crate::runtime::{Action, Controller, Definition, Request, Runtime};
use crate::service::ServiceError;
use crate::storage::Consistency;

/// A tombstone cannot be dealt with, or not yet.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Service(#[from] ServiceError),
    #[error(transparent)]
    Data(#[from] DataError),
}

/// For each tombstone: deletes all that the dead resource owned, then the tombstone. What goes by that leaves a tombstone of
/// its own, so the cascade goes on by itself.
///
/// One pass is enough: a child is created in one step with the look whether its owner is there, so none comes after the
/// tombstone. To do it again does no harm, so a kill in the midst of it does none either.
pub(super) fn controller() -> Definition {
    Controller::<Tombstone>::new("reaper").reconcile(reconcile)
}

async fn reconcile(runtime: Runtime, request: Request<Tombstone>) -> Result<Action, Error> {
    let client = &runtime.client;
    let Some(stored) = client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let tombstone = Typed::<Tombstone>::decode(Resource::clone(&stored))?;
    if let Some(uid) = tombstone.owner.as_ref().and_then(|owner| owner.uid) {
        for child in client.list_by_uid_of_owner(uid).await? {
            // One with finalizers is only marked. It is on its way, and needs no tombstone of its owner for that.
            client.delete(&child.id, None).await?;
        }
    }
    client.delete(&stored.id, None).await?;
    Ok(Action::await_change())
}
