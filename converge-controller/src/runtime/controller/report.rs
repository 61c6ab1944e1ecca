//! Writing of statuses.

use std::sync::Arc;

use crate::resource::{Condition, Resource, Status, StatusKey};
use crate::runtime::context::Runtime;
use crate::service::{InvalidArgument, ServiceError, StatusUpdate};

/// Reports these conditions of a resource under the name of the controller, and returns the resource.
///
/// Like [`update_status`], it writes only if something differs.
///
/// # Errors
///
/// Fails if the service refuses the write, also because the resource was never stored.
pub async fn report(
    runtime: &Runtime,
    resource: &Resource,
    conditions: impl IntoIterator<Item = Condition>,
) -> Result<Arc<Resource>, ServiceError> {
    let error = |path: &str, problem| InvalidArgument::Status { path: path.to_owned(), problem };
    let key = runtime
        .controller()
        .parse()
        .map_err(|_| error("status", "has no key: the controller has no name"))?;
    let generation = resource
        .generation
        .ok_or_else(|| error("status.observed_generation", "is missing: the resource was never stored"))?;
    update_status(runtime, resource, &key, Status::new(generation, conditions)).await
}

/// Writes a status of a resource unless an equal one is stored, and returns the resource.
///
/// An unchanged write would trigger every watch of statuses, and a controller that made one in each reconcile
/// would never come to rest.
///
/// # Errors
///
/// Fails if the service refuses the write.
pub async fn update_status(
    runtime: &Runtime,
    resource: &Resource,
    key: &StatusKey,
    status: Status,
) -> Result<Arc<Resource>, ServiceError> {
    if resource.status.get(key).is_some_and(|old_status| old_status.says_the_same_as(&status)) {
        return Ok(Arc::new(resource.clone()));
    }
    let update = StatusUpdate { id: resource.id.clone(), version: None, key: key.clone(), status };
    runtime.client.write_status(update).await
}
