//! Deletion of a resource.

use std::sync::Arc;

use jiff::Timestamp;

use crate::authorize::Verb;
use crate::builtin_types::{is_default, tombstone};
use crate::identity::Id;
use crate::resource::{Resource, Version};
use crate::storage::{Change, Consistency, Transaction};

use super::client::{Client, denied};
use super::error::{Aborted, FailedPrecondition, InvalidArgument, ServiceError};
use super::retry::Retry;
use super::write::refusal;

impl Client {
    /// Deletes a resource, and eventually everything that it owns.
    ///
    /// A resource that does not exist, or that has another uid, is no error.
    ///
    /// A resource with finalizers is only marked, and disappears when the last finalizer is removed. Marking
    /// it again changes nothing.
    ///
    /// With a version, the resource is deleted only in that state.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`].
    pub async fn delete(&self, id: &Id, version: Option<&Version>) -> Result<(), ServiceError> {
        let (registration, id) = match self.resolve(id) {
            Ok((registration, id)) => (Some(registration), id),
            // A resource whose type was registered earlier must still be deletable.
            Err(InvalidArgument::TypeNotRegistered { .. }) => (None, id.clone()),
            Err(error) => return Err(error.into()),
        };
        let mut retry = Retry::default();
        loop {
            let stored = self.backend().find(&id, Consistency::Strong).await?;
            let placeholder = Resource::new(id.clone());
            match &registration {
                Some(type_registration) => {
                    let deciding = self.applicable_type(type_registration, stored.as_deref());
                    self.may_write(&deciding, stored.as_deref().unwrap_or(&placeholder), &id)?;
                }
                None if self.may(Verb::Write, &id) => {}
                None => return Err(denied(Verb::Write, &id)),
            }
            let Some(stored) = stored else {
                let unknown = || self.service.unknown(&id.resource_type).into();
                return if registration.is_some() { Ok(()) } else { Err(unknown()) };
            };
            if is_default(&id) {
                return Err(FailedPrecondition::Protected { id: Box::new(id) }.into());
            }
            if version.is_some() && version != stored.version.as_ref() {
                return Err(Aborted::Conflict { id: Box::new(id) }.into());
            }
            let error = match self.delete_once(&stored).await {
                Err(error @ ServiceError::Aborted(_)) if version.is_none() => error,
                done => return done,
            };
            let wait = self.service.random(|random| retry.after_failure(random)).ok_or(error)?;
            tokio::time::sleep(wait).await;
        }
    }

    async fn delete_once(&self, stored: &Arc<Resource>) -> Result<(), ServiceError> {
        let transaction = if !stored.metadata.has_finalizers() {
            self.deletion(stored)
        } else if stored.metadata.is_marked_for_deletion() {
            return Ok(());
        } else {
            let mut marked = Resource::clone(stored);
            let now = Timestamp::try_from(self.now()).unwrap_or(Timestamp::MAX);
            marked.metadata.set_deletion_timestamp(Some(now));
            marked.generation = Some(self.generation());
            Transaction::from_change(Change::Put(Box::new(marked)))
        };
        let committed = self.backend().commit(transaction.fenced_by(self.fence()?)).await;
        committed.map(|_| ()).map_err(|error| refusal(error, &stored.id))
    }

    /// Returns the transaction that deletes a resource and writes a tombstone for its children.
    pub(super) fn deletion(&self, last: &Resource) -> Transaction {
        let (id, version) = (last.id.clone(), last.version.clone());
        let Some(version) = version else { return Transaction::default() };
        let transaction = Transaction::from_change(Change::Delete { id, version });
        let now = self.now();
        match self.service.random(|random| tombstone::for_resource(&last.id, now, random)) {
            Some(tombstone) => transaction.and(Change::Put(Box::new(tombstone))),
            None => transaction,
        }
    }
}
