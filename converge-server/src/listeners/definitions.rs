//! Writes of type definitions.
//!
//! All listeners use this path. A definition is compiled and compared with the stored one before anything is
//! written. The write is conditional on that stored version, so that one of two concurrent changes is
//! refused.

use std::collections::BTreeMap;
use std::sync::Arc;

use converge_controller::authorize::Verb;
use converge_controller::service::{Aborted, InvalidArgument, ServiceError};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Resource, StoredResource as _, Typed, Version};
use tokio::task::spawn_blocking;

use super::error_response::{Kind, Refusal};
use super::request::RequestContext;
use crate::definitions::{
    CompileError, TypeDefinition, accept, format_remaining, invalid, remaining_resources,
};

/// The number of attempts for a write without a version.
const ATTEMPTS: usize = 5;

/// A checked write of a definition.
struct Checked {
    resource: Resource,
    /// The resource as it would be stored.
    planned: Resource,
    is_new: bool,
}

impl RequestContext {
    /// Whether a resource is a type definition.
    pub(super) fn is_definition(id: &Id) -> bool {
        id.resource_type == *TypeDefinition::resource_type()
    }

    /// Writes a definition.
    ///
    /// The types are registered on this server before the function returns.
    pub(super) async fn define(&self, resource: Resource) -> Result<Arc<Resource>, Refusal> {
        let attempts = if resource.version.is_some() { 1 } else { ATTEMPTS };
        let mut result = Err(Aborted::Conflict { id: Box::new(resource.id.clone()) }.into());
        for _ in 0..attempts {
            let Checked { resource, is_new, .. } = self.checked(resource.clone()).await?;
            result = if is_new {
                Box::pin(self.client.create(resource)).await
            } else {
                Box::pin(self.client.write(resource)).await
            };
            if !matches!(result, Err(ServiceError::Aborted(Aborted::Conflict { .. }))) {
                break;
            }
        }
        let stored = result?;
        self.types.until(&stored).await;
        Ok(stored)
    }

    /// Performs all checks of a write without writing.
    pub(super) async fn would_define(&self, resource: Resource) -> Result<Resource, Refusal> {
        Ok(self.checked(resource).await?.planned)
    }

    async fn checked(&self, mut resource: Resource) -> Result<Checked, Refusal> {
        // Authorization and the checks without compilation come first.
        let mut planned = Box::pin(self.client.mutate_and_validate(resource.clone())).await?;
        let id = planned.id.clone().without_uid();
        let stored = self.own.find(&id, Consistency::Strong).await?;
        let is_marked = |resource: &Resource| resource.metadata.is_marked_for_deletion();
        if is_marked(&planned) || stored.as_deref().is_some_and(is_marked) {
            return Ok(Checked { resource, planned, is_new: false });
        }
        self.compiled(&planned, stored.as_deref()).await?;
        let is_new = stored.is_none();
        if let Some(stored) = stored {
            // A write without a version keeps the finalizers that it does not name, and replaces the version
            // that was checked.
            if resource.version.is_none() && !resource.metadata.says_finalizers() {
                for finalizer in stored.metadata.finalizers() {
                    resource.metadata.add_finalizer(finalizer.clone());
                }
            }
            resource.version = resource.version.or_else(|| stored.version.clone());
        }
        if let Some(finalizer) = TypeDefinition::finalizer() {
            resource.metadata.add_finalizer(finalizer.clone());
            planned.metadata.add_finalizer(finalizer);
        }
        Ok(Checked { resource, planned, is_new })
    }

    /// Compiles a definition and compares it with the stored one.
    async fn compiled(&self, planned: &Resource, stored: Option<&Resource>) -> Result<(), Refusal> {
        let internal = |error: &dyn std::fmt::Display| Refusal::new(Kind::Internal, error.to_string());
        let definition =
            Typed::<TypeDefinition>::decode(planned.clone()).map_err(|error| internal(&error))?;
        let earlier: BTreeMap<String, String> = stored
            .and_then(|stored| Typed::<TypeDefinition>::decode(stored.clone()).ok())
            .map(|stored| stored.data.files)
            .unwrap_or_default();
        let (name, own_types) = (definition.id().name.clone(), self.own.service().own_types().clone());
        // The permit is held until the compilation ends, even if the client has gone.
        let permit =
            Arc::clone(&self.compilations).acquire_owned().await.map_err(|error| internal(&error))?;
        let compiling = spawn_blocking(move || {
            let _permit = permit;
            let compiled = accept(&own_types, &name, &definition.data)?;
            let mistakes = compiled.breaks(&earlier);
            if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
        });
        let compiled: Result<(), Vec<CompileError>> = compiling.await.map_err(|error| internal(&error))?;
        compiled.map_err(|mistakes| {
            let (id, source) = (Box::new(planned.id.clone()), invalid(&mistakes).into());
            ServiceError::from(InvalidArgument::Invalid { id, source }).into()
        })
    }

    /// Deletes a resource.
    ///
    /// A definition whose types still have resources is refused.
    pub(crate) async fn delete(&self, id: &Id, version: Option<&Version>) -> Result<(), Refusal> {
        // Authorization comes first, so that an unauthorized caller learns nothing about existing resources.
        if Self::is_definition(id) && self.client.caller().authorizer().may(Verb::Write, id) {
            let left = remaining_resources(self.own.service(), id.name.as_str()).await?;
            if !left.is_empty() {
                let message = format!(
                    "resources of the types of {id} still exist: {}; delete them first",
                    format_remaining(&left)
                );
                return Err(Refusal::new(Kind::FailedPrecondition, message));
            }
        }
        Ok(self.client.delete(id, version).await?)
    }
}
