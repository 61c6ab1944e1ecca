//! Finalizers of controllers: cleanup before a resource disappears.

use std::sync::Arc;

use crate::debug_as_text;
use crate::registry::{DataError, StoredResource, Typed};
use crate::resource::{Finalizer, Resource};
use crate::runtime::action::Action;
use crate::runtime::context::Runtime;
use crate::runtime::engine::definition::{Function, Outcome};
use crate::runtime::request::Request;
use crate::runtime::supervisor::RunError;
use crate::service::{ErrorKind, ServiceError, TypedError};
use crate::storage::Consistency;

/// Adds a finalizer to a resource unless it has it, and returns the resource.
///
/// # Errors
///
/// Fails if the service refuses the write, also because the resource was written since it was read.
pub async fn ensure_finalizer(
    runtime: &Runtime,
    resource: &Resource,
    name: &Finalizer,
) -> Result<Arc<Resource>, ServiceError> {
    let mut updated_resource = resource.clone();
    if !updated_resource.metadata.add_finalizer(name.clone()) {
        return Ok(Arc::new(updated_resource));
    }
    runtime.client.write(updated_resource).await
}

/// Removes a finalizer from a resource if it has it, and returns the resource.
///
/// If the resource is marked for deletion and this was its last finalizer, the resource is deleted.
///
/// # Errors
///
/// Fails if the service refuses the write, also because the resource was written since it was read.
pub async fn ensure_finalizer_removed(
    runtime: &Runtime,
    resource: &Resource,
    name: &Finalizer,
) -> Result<Arc<Resource>, ServiceError> {
    let mut updated_resource = resource.clone();
    if !updated_resource.metadata.remove_finalizer(name) {
        return Ok(Arc::new(updated_resource));
    }
    runtime.client.write(updated_resource).await
}

/// The work to do for a resource that has a finalizer.
#[derive(Clone, Debug, PartialEq)]
pub enum FinalizerEvent<T> {
    /// The resource exists and has the finalizer: reconcile it.
    Apply(Typed<T>),
    /// The resource is being deleted: undo what was done for it.
    Cleanup(Typed<T>),
}

/// The reason why the work for a resource with a finalizer failed.
#[derive(thiserror::Error)]
pub enum FinalizerError {
    /// The resource cannot be read or written.
    #[error(transparent)]
    Resource(#[from] TypedError),
    /// The work failed.
    #[error("{0}")]
    Act(#[source] RunError),
}

debug_as_text!(FinalizerError);

impl From<ServiceError> for FinalizerError {
    fn from(error: ServiceError) -> Self {
        Self::Resource(error.into())
    }
}

impl From<DataError> for FinalizerError {
    fn from(error: DataError) -> Self {
        Self::Resource(error.into())
    }
}

/// Reads a resource and does the work for it, guarded by a finalizer.
///
/// Once `act` was called to [apply](FinalizerEvent::Apply), it has to succeed to [clean
/// up](FinalizerEvent::Cleanup) before the resource disappears.
///
/// Nothing is done for a resource that does not exist, or that is being deleted and does not have the
/// finalizer.
///
/// # Errors
///
/// Fails if the resource cannot be read, written or decoded, or if `act` fails.
pub async fn finalize<T, F, E>(
    runtime: &Runtime,
    request: &Request<T>,
    name: &Finalizer,
    act: impl FnOnce(FinalizerEvent<T>) -> F,
) -> Result<Action, FinalizerError>
where
    T: StoredResource,
    F: Future<Output = Result<Action, E>>,
    E: Into<RunError>,
{
    let Some(resource) = runtime.client.find(request.id(), Consistency::Eventual).await? else {
        return Ok(Action::await_change());
    };
    let failed = |error: E| FinalizerError::Act(error.into());
    if !resource.metadata.is_marked_for_deletion() {
        let resource = ensure_finalizer(runtime, &resource, name).await?;
        let resource = Typed::decode(Resource::clone(&resource))?;
        return act(FinalizerEvent::Apply(resource)).await.map_err(failed);
    }
    if !resource.metadata.has_finalizer(name) {
        return Ok(Action::await_change());
    }
    let typed = Typed::decode(Resource::clone(&resource))?;
    let action = act(FinalizerEvent::Cleanup(typed)).await.map_err(failed)?;
    release(runtime, &resource, name).await?;
    Ok(action)
}

/// Removes a finalizer from a resource that was cleaned up, whatever else was written meanwhile.
async fn release(runtime: &Runtime, cleaned: &Resource, name: &Finalizer) -> Result<(), ServiceError> {
    let mut resource = Arc::new(cleaned.clone());
    loop {
        match ensure_finalizer_removed(runtime, &resource, name).await {
            Err(error) if error.kind() == ErrorKind::Aborted => {
                match runtime.client.find(&cleaned.id, Consistency::Strong).await? {
                    Some(newer) => resource = newer,
                    None => return Ok(()),
                }
            }
            result => return result.map(drop),
        }
    }
}

/// Wraps a reconciler so that it works with a finalizer.
pub(super) fn with_finalizer<T: StoredResource>(
    name: Finalizer,
    cleanup: Function<Typed<T>, ()>,
    reconcile: Function<Request<T>, Action>,
) -> Function<Request<T>, Action> {
    let wrapper = move |runtime: Runtime, request: Request<T>| -> Outcome<Action> {
        let (name, cleanup, reconcile) = (name.clone(), Arc::clone(&cleanup), Arc::clone(&reconcile));
        Box::pin(async move {
            if runtime.client.find(request.id(), Consistency::Eventual).await?.is_none() {
                // The reconciler also sees deleted resources, as it would without a finalizer.
                return reconcile(runtime, request).await;
            }
            let act = |event| {
                let (runtime, request) = (runtime.clone(), request.clone());
                async move {
                    match event {
                        FinalizerEvent::Apply(_) => reconcile(runtime, request).await,
                        FinalizerEvent::Cleanup(resource) => {
                            cleanup(runtime, resource).await?;
                            Ok(Action::await_change())
                        }
                    }
                }
            };
            Ok(finalize(&runtime, &request, &name, act).await?)
        })
    };
    Arc::new(wrapper)
}
