//! Reporting what was found.

use std::sync::Arc;

use crate::resource::{Resource, Status, StatusKey};
use crate::runtime::context::Runtime;
use crate::service::{ServiceError, StatusUpdate};

/// Writes a status of a resource, unless the resource has one that says the same. Gives the resource with it.
///
/// A write of what is there already would wake everybody who watches for statuses, and a controller that does so whenever it
/// reconciles would never rest.
///
/// # Errors
///
/// The service refuses the write.
pub async fn update_status(
    runtime: &Runtime,
    resource: &Resource,
    key: &StatusKey,
    status: Status,
) -> Result<Arc<Resource>, ServiceError> {
    if resource.status.get(key).is_some_and(|kept| kept.says_the_same_as(&status)) {
        return Ok(Arc::new(resource.clone()));
    }
    let update = StatusUpdate { id: resource.id.clone(), version: None, key: key.clone(), status };
    runtime.client.write_status(update).await
}
