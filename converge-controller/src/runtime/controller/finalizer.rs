//! What has to be done before a resource may go.

use std::sync::Arc;

use crate::registry::{DataError, StoredResource, Typed};
use crate::resource::{Finalizer, Resource};
use crate::runtime::action::Action;
use crate::runtime::context::Runtime;
use crate::runtime::engine::definition::{Function, Outcome};
use crate::runtime::request::Request;
use crate::runtime::supervisor::RunError;
use crate::service::{ErrorKind, ServiceError, TypedError};
use crate::storage::Consistency;

/// Adds a finalizer to a resource, unless it has it. Gives the resource with it.
///
/// # Errors
///
/// The service refuses the write; also when somebody else has written the resource since it was read.
pub async fn ensure_finalizer(
    runtime: &Runtime,
    resource: &Resource,
    name: &Finalizer,
) -> Result<Arc<Resource>, ServiceError> {
    let mut with = resource.clone();
    if !with.metadata.add_finalizer(name.clone()) {
        return Ok(Arc::new(with));
    }
    runtime.client.write(with).await
}

/// Removes a finalizer from a resource, if it has it. Gives the resource without it. When the resource is marked for
/// deletion and this was the last one, it is gone then.
///
/// # Errors
///
/// The service refuses the write; also when somebody else has written the resource since it was read.
pub async fn ensure_finalizer_removed(
    runtime: &Runtime,
    resource: &Resource,
    name: &Finalizer,
) -> Result<Arc<Resource>, ServiceError> {
    let mut without = resource.clone();
    if !without.metadata.remove_finalizer(name) {
        return Ok(Arc::new(without));
    }
    runtime.client.write(without).await
}

/// What is to be done with a resource that has a finalizer.
#[derive(Clone, Debug, PartialEq)]
pub enum FinalizerEvent<T> {
    /// It is there, and has the finalizer: make the world as it says.
    Apply(Typed<T>),
    /// It is to go: undo what was done for it.
    Cleanup(Typed<T>),
}

/// A resource could not be finalized, or not yet.
#[derive(Debug, thiserror::Error)]
pub enum FinalizerError {
    /// It cannot be read or written.
    #[error(transparent)]
    Resource(#[from] TypedError),
    /// What was to be done failed.
    #[error("{0}")]
    Act(#[source] RunError),
}

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

/// Reads a resource and does what is to be done with it, with a finalizer that guards it: once `act` was called to
/// [apply](FinalizerEvent::Apply), it has to succeed to [clean up](FinalizerEvent::Cleanup) before the resource goes.
///
/// Nothing is done with a resource that is not there, or that is to go and does not have the finalizer.
///
/// # Errors
///
/// The resource cannot be read, written or decoded, or `act` failed.
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

/// Removes a finalizer from a resource that was cleaned up. What else was written meanwhile does not matter.
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

/// A reconciler with a finalizer around it.
pub(super) fn around<T: StoredResource>(
    name: Finalizer,
    cleanup: Function<Typed<T>, ()>,
    reconcile: Function<Request<T>, Action>,
) -> Function<Request<T>, Action> {
    let around = move |runtime: Runtime, request: Request<T>| -> Outcome<Action> {
        let (name, cleanup, reconcile) = (name.clone(), Arc::clone(&cleanup), Arc::clone(&reconcile));
        Box::pin(async move {
            if runtime.client.find(request.id(), Consistency::Eventual).await?.is_none() {
                // The reconciler hears of what is gone as it would without a finalizer.
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
    Arc::new(around)
}
