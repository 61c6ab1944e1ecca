//! Definitions of types on their way in.
//!
//! Both doors come by here. A text is compiled and compared with the one that is stored before anything is written, and the write
//! happens only if that one is still stored: of two who change a definition at once, one is told that it came too late.

use std::collections::BTreeMap;
use std::sync::Arc;

use converge_controller::authorize::Verb;
use converge_controller::service::{Aborted, InvalidArgument, ServiceError};
use converge_controller::storage::Consistency;
use converge_controller::{Id, Resource, StoredResource as _, Typed, Version};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::error_response::{Kind, Refusal};
use super::request::Visit;
use crate::definitions::{Mistake, TypeDefinition, accept, invalid, left, shown};

/// How many texts are compiled at a time: each keeps a processor busy.
static TURNS: Semaphore = Semaphore::const_new(1);
/// How often a write is tried for who does not say which state it is to replace.
const ATTEMPTS: usize = 5;

/// What is to be written.
struct Checked {
    resource: Resource,
    /// As it would be stored.
    planned: Resource,
    is_new: bool,
}

impl Visit {
    /// Whether a resource is a definition of types.
    pub(super) fn is_definition(id: &Id) -> bool {
        id.resource_type == *TypeDefinition::resource_type()
    }

    /// Writes a definition. When this answers, its types are known here.
    pub(super) async fn define(&self, resource: Resource) -> Result<Arc<Resource>, Refusal> {
        let attempts = if resource.version.is_some() { 1 } else { ATTEMPTS };
        let mut done = Err(Aborted::Conflict { id: Box::new(resource.id.clone()) }.into());
        for _ in 0..attempts {
            let Checked { resource, is_new, .. } = self.checked(resource.clone()).await?;
            done = if is_new {
                Box::pin(self.client.create(resource)).await
            } else {
                Box::pin(self.client.write(resource)).await
            };
            if !matches!(done, Err(ServiceError::Aborted(Aborted::Conflict { .. }))) {
                break;
            }
        }
        let stored = done?;
        self.types.until(&stored).await;
        Ok(stored)
    }

    /// Checks all that a write of a definition checks, and writes nothing.
    pub(super) async fn would_define(&self, resource: Resource) -> Result<Resource, Refusal> {
        Ok(self.checked(resource).await?.planned)
    }

    async fn checked(&self, mut resource: Resource) -> Result<Checked, Refusal> {
        // First whether the caller may, and what can be said without compiling.
        let mut planned = Box::pin(self.client.mutate_and_validate(resource.clone())).await?;
        let id = planned.id.clone().without_uid();
        let stored = self.own.find(&id, Consistency::Strong).await?;
        let goes = |resource: &Resource| resource.metadata.is_marked_for_deletion();
        if goes(&planned) || stored.as_deref().is_some_and(goes) {
            return Ok(Checked { resource, planned, is_new: false });
        }
        self.compiled(&planned, stored.as_deref()).await?;
        let is_new = stored.is_none();
        if let Some(stored) = stored {
            // Who says no version leaves what it does not name, and replaces the state that was looked at.
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

    /// Compiles a definition, and compares it with the one that is stored.
    async fn compiled(&self, planned: &Resource, stored: Option<&Resource>) -> Result<(), Refusal> {
        let internal = |error: &dyn std::fmt::Display| Refusal::new(Kind::Internal, error.to_string());
        let definition =
            Typed::<TypeDefinition>::decode(planned.clone()).map_err(|error| internal(&error))?;
        let earlier: BTreeMap<String, String> = stored
            .and_then(|stored| Typed::<TypeDefinition>::decode(stored.clone()).ok())
            .map(|stored| stored.data.files)
            .unwrap_or_default();
        let (name, own) = (definition.id().name.clone(), self.own.service().own_types().clone());
        // It is kept until the end, also when nobody waits for that any more.
        let turn = TURNS.acquire().await.map_err(|error| internal(&error))?;
        let compiling = spawn_blocking(move || {
            let _turn = turn;
            let compiled = accept(&own, &name, &definition.data)?;
            let mistakes = compiled.breaks(&earlier);
            if mistakes.is_empty() { Ok(()) } else { Err(mistakes) }
        });
        let compiled: Result<(), Vec<Mistake>> = compiling.await.map_err(|error| internal(&error))?;
        compiled.map_err(|mistakes| {
            let (id, source) = (Box::new(planned.id.clone()), invalid(&mistakes).into());
            ServiceError::from(InvalidArgument::Invalid { id, source }).into()
        })
    }

    /// Deletes a resource. A definition of which there are resources is not deleted.
    pub(crate) async fn delete(&self, id: &Id, version: Option<&Version>) -> Result<(), Refusal> {
        // Who may not delete it is told that, and nothing of what there is.
        if Self::is_definition(id) && self.client.caller().authorizer().may(Verb::Write, id) {
            let left = left(self.own.service(), id.name.as_str()).await?;
            if !left.is_empty() {
                let message = format!(
                    "there are resources of the types of {id}, and they would be left behind: {}; delete them first",
                    shown(&left)
                );
                return Err(Refusal::new(Kind::FailedPrecondition, message));
            }
        }
        Ok(self.client.delete(id, version).await?)
    }
}
