//! Writes of statuses.

use std::sync::Arc;

use jiff::Timestamp;

use crate::resource::{Resource, Status};
use crate::storage::{Change, Consistency, Transaction};

use super::client::Client;
use super::error::{Aborted, FailedPrecondition, InvalidArgument, ServiceError};
use super::request::StatusUpdate;
use super::retry::Retry;
use super::tenancy::TenancyUnit;
use super::write::refusal;

impl Client {
    /// Writes the status under one key of a resource, and returns the stored resource.
    ///
    /// Only this status and the version of the resource change.
    ///
    /// With a version, the write happens only if the resource has it.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`].
    pub async fn write_status(&self, update: StatusUpdate) -> Result<Arc<Resource>, ServiceError> {
        check(&update.status)?;
        let (registration, id) = self.resolve(&update.id)?;
        if id.uid.is_none() {
            return Err(InvalidArgument::NoUid { id: Box::new(id) }.into());
        }
        let mut retry = Retry::default();
        loop {
            let name = id.clone().without_uid();
            let stored = self.backend().find(&name, Consistency::Strong).await?;
            let placeholder = Resource::new(id.clone());
            let deciding = self.applicable_type(&registration, stored.as_deref());
            self.may_write(&deciding, stored.as_deref().unwrap_or(&placeholder), &id)?;
            let Some(stored) = stored else {
                let units = TenancyUnit::for_tenancy(&id.tenancy);
                return Err(match TenancyUnit::problem(self.backend(), &units).await? {
                    Some(problem @ InvalidArgument::NoSuchTenancy { .. }) => problem.into(),
                    _ => ServiceError::NotFound { id: Box::new(id) },
                });
            };
            if stored.id.resource_type != id.resource_type {
                let (requested, stored) = (id.resource_type.clone(), stored.id.resource_type.clone());
                return Err(InvalidArgument::GroupVersion { id: Box::new(id), requested, stored }.into());
            }
            if let Some(uid) = stored.id.uid.filter(|uid| Some(*uid) != id.uid) {
                return Err(FailedPrecondition::WrongUid { id: Box::new(id), stored: uid }.into());
            }
            if update.version.is_some() && update.version != stored.version {
                return Err(Aborted::Conflict { id: Box::new(id) }.into());
            }
            let error = match self.write_status_once(&update, &stored).await {
                Err(error @ ServiceError::Aborted(_)) if update.version.is_none() => error,
                done => return done,
            };
            let wait = self.service.random(|random| retry.after_failure(random)).ok_or(error)?;
            tokio::time::sleep(wait).await;
        }
    }

    async fn write_status_once(
        &self,
        update: &StatusUpdate,
        stored: &Resource,
    ) -> Result<Arc<Resource>, ServiceError> {
        let now = Timestamp::try_from(self.now()).unwrap_or(Timestamp::MAX);
        let mut updated = stored.clone();
        let status = Status { updated_at: Some(now), ..update.status.clone() };
        updated.status.insert(update.key.clone(), status);
        let transaction = Transaction::from_change(Change::Put(Box::new(updated.clone())));
        let committed = self.backend().commit(transaction.fenced_by(self.fence()?)).await;
        let committed = committed.map_err(|error| refusal(error, &stored.id))?;
        Ok(committed.into_iter().next().unwrap_or_else(|| Arc::new(updated)))
    }
}

/// Checks rules of a status that its type does not express.
fn check(status: &Status) -> Result<(), InvalidArgument> {
    let error = |path: String, problem| Err(InvalidArgument::Status { path, problem });
    if status.updated_at.is_some() {
        return error("status.updated_at".to_owned(), "is set by the service: leave it out");
    }
    for (place, condition) in status.conditions.iter().enumerate() {
        if condition.condition_type.is_empty() {
            return error(
                format!("status.conditions[{place}].type"),
                "cannot be empty: it is what a condition is found by",
            );
        }
    }
    Ok(())
}
