//! The controllers that empty partitions and namespaces before these disappear.

use std::time::Duration;

use crate::builtin_types::{Namespace, Partition, finalizer_of};
use crate::identity::{Id, Selector, Tenancy, TenancyPattern};
use crate::registry::StoredResource;
use crate::resource::{Condition, ConditionState};
use crate::runtime::{
    Action, Controller, Definition, Request, Runtime, ensure_finalizer, ensure_finalizer_removed, report,
};
use crate::service::{Client, ServiceError};
use crate::storage::Consistency;

/// The delay before the remaining resources are counted again, as others may have finalizers to remove.
const RECOUNT_DELAY: Duration = Duration::from_secs(1);

/// Returns the controller that empties deleted partitions.
///
/// It deletes their namespaces, and the resources directly in them.
pub(super) fn partitions() -> Definition {
    controller::<Partition>("partitions", |partition| {
        Some(TenancyPattern::Partition(Selector::Only(partition.name.as_str().parse().ok()?)))
    })
}

/// Returns the controller that empties deleted namespaces.
pub(super) fn namespaces() -> Definition {
    controller::<Namespace>("namespaces", |namespace| {
        let Tenancy::Partition(partition) = namespace.tenancy.clone() else { return None };
        let name = namespace.name.as_str().parse().ok()?;
        Some(TenancyPattern::Namespace(Selector::Only(partition), Selector::Only(name)))
    })
}

/// Returns the controller of a tenancy unit; `contents` is the pattern of what is directly in one.
fn controller<T: StoredResource>(
    name: &'static str,
    contents: fn(&Id) -> Option<TenancyPattern>,
) -> Definition {
    Controller::<T>::new(name).reconcile(move |runtime, request| reconcile(runtime, request, contents))
}

async fn reconcile<T: StoredResource>(
    runtime: Runtime,
    request: Request<T>,
    contents: fn(&Id) -> Option<TenancyPattern>,
) -> Result<Action, ServiceError> {
    let Some(stored) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let finalizer = finalizer_of(&stored.id);
    if !stored.metadata.is_marked_for_deletion() {
        let stored = match &finalizer {
            // The finalizer exists since the creation, unless an earlier program version created the
            // resource.
            Some(finalizer) => ensure_finalizer(&runtime, &stored, finalizer).await?,
            None => stored,
        };
        report(&runtime, &stored, [Condition::new("accepted", ConditionState::True)]).await?;
        return Ok(Action::await_change());
    }
    let Some(finalizer) = finalizer.filter(|finalizer| stored.metadata.has_finalizer(finalizer)) else {
        return Ok(Action::await_change());
    };
    let left = match contents(&stored.id) {
        Some(contents) => empty(&runtime.client, &contents).await?,
        None => 0,
    };
    if left > 0 {
        let condition = Condition::new("deleted", ConditionState::False)
            .reason("DeletionInProgress")
            .message(format!("resources that are left in it: {left}"));
        report(&runtime, &stored, [condition]).await?;
        return Ok(Action::requeue(RECOUNT_DELAY));
    }
    ensure_finalizer_removed(&runtime, &stored, &finalizer).await?;
    Ok(Action::await_change())
}

/// Deletes everything that is directly in a tenancy, and returns how many resources are left.
///
/// Resources of unregistered types are deleted too: nobody could reach them in a deleted tenancy.
async fn empty(client: &Client, contents: &TenancyPattern) -> Result<usize, ServiceError> {
    let mut left = 0;
    for kind in client.service().backend().kinds().await? {
        for resource in client.list_kind(&kind, contents).await? {
            client.delete(&resource.id, None).await?;
        }
        left += client.list_kind(&kind, contents).await?.len();
    }
    Ok(left)
}
