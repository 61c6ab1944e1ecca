//! Writes of resources.

use std::sync::Arc;

use crate::authorize::Verb;
use crate::clock::Random;
use crate::identity::{Generation, Id, Uid};
use crate::registry::Registration;
use crate::resource::Resource;
use crate::storage::{Change, CommitError, Consistency, RequirementState, Transaction};

use super::client::{Client, denied};
use super::decide::{self, Decision};
use super::error::{Aborted, FailedPrecondition, InvalidArgument, OwnerProblem, ServiceError};
use super::hooks::contained;
use super::owner::refused;
use super::retry::Retry;
use super::tenancy::TenancyUnit;

/// A resource to write, after all checks that do not depend on the stored state.
struct Candidate {
    /// The resource as given, with the complete tenancy.
    given: Resource,
    /// The resource after the mutate hook, or as given if the type refuses it.
    admitted: Resource,
    /// The error with which the type refuses the resource.
    refusal: Option<ServiceError>,
    /// The resource that defines the type, if there is one.
    definition: Option<Id>,
    /// Whether the write fails if a resource with this name exists.
    only_new: bool,
}

/// The transaction of a write, and its result.
struct Planned {
    transaction: Transaction,
    /// The partitions and namespaces that must exist.
    units: Vec<TenancyUnit>,
    /// The resulting resource.
    ///
    /// Its version is known once it is stored, except for the last state of a deleted resource.
    result: Resource,
    goes: bool,
}

impl Client {
    /// Creates a resource, or replaces its data and metadata, and returns it as stored.
    ///
    /// With a version, the write happens only if the resource has it. Without a version it replaces the
    /// current state, and omitted finalizers and an omitted deletion mark stay as they are. The write that
    /// removes the last finalizer of a marked resource deletes it, and returns its last state.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`]. Nothing was written then, unless the store is
    /// [unavailable](ServiceError::Unavailable).
    pub async fn write(&self, resource: Resource) -> Result<Arc<Resource>, ServiceError> {
        self.write_candidate(self.admit(resource)?).await
    }

    /// Creates a resource whose name is not in use, and returns it as stored.
    ///
    /// # Errors
    ///
    /// [`Aborted`](ServiceError::Aborted) if a resource with this name exists, and those of
    /// [`write`](Self::write).
    pub async fn create(&self, resource: Resource) -> Result<Arc<Resource>, ServiceError> {
        self.write_candidate(Candidate { only_new: true, ..self.admit(resource)? }).await
    }

    async fn write_candidate(&self, mut candidate: Candidate) -> Result<Arc<Resource>, ServiceError> {
        let mut retry = Retry::default();
        loop {
            let is_single_attempt = candidate.given.version.is_some() || candidate.only_new;
            let error = match self.write_once(&mut candidate).await {
                Err(error @ ServiceError::Aborted(_)) if !is_single_attempt => error,
                done => return done,
            };
            let wait = self.service.random(|random| retry.after_failure(random)).ok_or(error)?;
            tokio::time::sleep(wait).await;
        }
    }

    /// Makes all checks of [`write`](Self::write), and returns the resource as it would be stored.
    ///
    /// Nothing is written.
    ///
    /// # Errors
    ///
    /// The errors of [`write`](Self::write).
    pub async fn mutate_and_validate(&self, resource: Resource) -> Result<Resource, ServiceError> {
        let mut candidate = self.admit(resource)?;
        let planned = self.plan(&mut candidate).await?;
        if let Some(problem) = TenancyUnit::problem(self.backend(), &planned.units).await? {
            return Err(problem.into());
        }
        self.fence()?;
        Ok(planned.result)
    }

    /// Makes all checks that do not depend on the stored state; the permission is checked last.
    fn admit(&self, resource: Resource) -> Result<Candidate, ServiceError> {
        let (registration, id) = match self.resolve(&resource.id) {
            Ok(resolved) => resolved,
            Err(unknown @ InvalidArgument::TypeNotRegistered { .. }) => {
                return self.admit_unknown(resource, unknown);
            }
            Err(error) => return Err(error.into()),
        };
        let owner = resource.owner.as_ref().map(|owner| self.resolve_owner(owner, &id)).transpose()?;
        let resource = Resource { id, owner, ..resource };
        check_data(&registration, &resource)?;
        // A resource that the type refuses may still be part of a deletion, which skips the type. The error
        // is therefore kept until the stored state is known, which is read only after the permission check.
        let (admitted, refusal) = match ask_type(&registration, &resource) {
            Ok(admitted) => (admitted, None),
            Err(refusal) => (resource.clone(), Some(refusal)),
        };
        self.may_write(&registration, &admitted, &admitted.id)?;
        let definition = registration.definition.clone();
        Ok(Candidate { given: resource, admitted, refusal, definition, only_new: false })
    }

    /// Checks a write of a resource of an unregistered type.
    ///
    /// Such a resource cannot be written, but it must still be deletable. A caller with write permission may
    /// therefore remove its finalizers.
    fn admit_unknown(&self, resource: Resource, unknown: InvalidArgument) -> Result<Candidate, ServiceError> {
        if !self.may(Verb::Write, &resource.id) {
            return Err(denied(Verb::Write, &resource.id));
        }
        Ok(Candidate {
            admitted: resource.clone(),
            given: resource,
            refusal: Some(unknown.into()),
            definition: None,
            only_new: false,
        })
    }

    async fn write_once(&self, candidate: &mut Candidate) -> Result<Arc<Resource>, ServiceError> {
        let planned = self.plan(candidate).await?;
        let transaction = TenancyUnit::require(&planned.units, planned.transaction);
        let owner = planned.result.owner.clone();
        match self.backend().commit(transaction.fenced_by(self.fence()?)).await {
            Ok(_) if planned.goes => Ok(Arc::new(planned.result)),
            Ok(stored) => Ok(stored.into_iter().next().unwrap_or_else(|| Arc::new(planned.result))),
            Err(CommitError::Requirement { id, .. }) => {
                match TenancyUnit::problem(self.backend(), &planned.units).await? {
                    Some(problem) => Err(problem.into()),
                    None if owner.as_ref() == Some(&*id) => Err(refused(*id, OwnerProblem::Missing).into()),
                    None if candidate.definition.as_ref() == Some(&*id) => {
                        Err(type_goes(&candidate.given.id, *id).into())
                    }
                    // The resource was created again meanwhile.
                    None => Err(Aborted::Conflict { id: Box::new(candidate.given.id.clone()) }.into()),
                }
            }
            Err(error) => Err(refusal(error, &candidate.given.id)),
        }
    }

    /// Plans the transaction of the write for the current stored state.
    async fn plan(&self, candidate: &mut Candidate) -> Result<Planned, ServiceError> {
        let name = candidate.given.id.clone().without_uid();
        let stored = self.backend().find(&name, Consistency::Strong).await?;
        let stored = stored.as_deref();
        let of_deletion = stored.is_some_and(|stored| decide::is_part_of_deletion(&candidate.given, stored));
        if let Some(refusal) = candidate.refusal.take_if(|_| !of_deletion) {
            return Err(refusal);
        }
        let decision = match stored {
            None => decide::create(&candidate.admitted)?,
            Some(_) if candidate.only_new => {
                return Err(Aborted::Conflict { id: Box::new(candidate.given.id.clone()) }.into());
            }
            Some(stored) if of_deletion => decide::update(&candidate.given, stored)?,
            Some(stored) => decide::update(&candidate.admitted, stored)?,
        };
        match decision {
            Decision::Create(created) => self.plan_creation(created, candidate.definition.as_ref()).await,
            Decision::Update(updated) => Ok(self.plan_update(updated, stored)),
            Decision::Free(last) => Ok(self.plan_freeing(last)),
        }
    }

    async fn plan_creation(
        &self,
        mut created: Resource,
        definition: Option<&Id>,
    ) -> Result<Planned, ServiceError> {
        let units = TenancyUnit::for_tenancy(&created.id.tenancy);
        // The tenancy is checked before the owner in it: if both are missing, the error is about the tenancy.
        if let Some(problem) = TenancyUnit::problem(self.backend(), &units).await? {
            return Err(problem.into());
        }
        let mut transaction = Transaction::default();
        if let Some(definition) = definition {
            self.is_defined(&created.id, definition).await?;
            transaction = transaction.require(definition.clone(), RequirementState::NotMarkedForDeletion);
        }
        if let Some(owner) = &mut created.owner {
            *owner = self.existing_owner(owner).await?;
            transaction = transaction.require(owner.clone(), RequirementState::Present);
        }
        created.id.uid = Some(self.uid());
        created.generation = Some(self.generation());
        let transaction = transaction.and(Change::Put(Box::new(created.clone())));
        Ok(Planned { transaction, units, result: created, goes: false })
    }

    /// Checks that the definition of a type exists and is not being deleted.
    async fn is_defined(&self, id: &Id, definition: &Id) -> Result<(), ServiceError> {
        let stored = self.backend().find(&definition.clone().without_uid(), Consistency::Strong).await?;
        let stays = stored.is_some_and(|stored| {
            stored.id.uid == definition.uid && !stored.metadata.is_marked_for_deletion()
        });
        if stays { Ok(()) } else { Err(type_goes(id, definition.clone()).into()) }
    }

    fn plan_update(&self, mut updated: Resource, stored: Option<&Resource>) -> Planned {
        let goes_on = stored.is_some_and(|stored| decide::is_part_of_deletion(&updated, stored));
        // A resource that is being deleted must be able to disappear, also in a tenancy that is being
        // deleted.
        let units = if goes_on { Vec::new() } else { TenancyUnit::for_tenancy(&updated.id.tenancy) };
        updated.generation = Some(self.generation());
        let transaction = Transaction::from_change(Change::Put(Box::new(updated.clone())));
        Planned { transaction, units, result: updated, goes: false }
    }

    fn plan_freeing(&self, mut last: Resource) -> Planned {
        last.generation = Some(self.generation());
        Planned { transaction: self.deletion(&last), units: Vec::new(), result: last, goes: true }
    }

    pub(super) fn now(&self) -> std::time::SystemTime {
        self.service.clock().now()
    }

    pub(super) fn uid(&self) -> Uid {
        Uid::at(self.now(), self.service.random(Random::bits))
    }

    pub(super) fn generation(&self) -> Generation {
        Generation::at(self.now(), self.service.random(Random::bits))
    }
}

/// Returns the error for a resource whose type is being deleted.
fn type_goes(id: &Id, definition: Id) -> InvalidArgument {
    let resource_type = Box::new(id.resource_type.clone());
    InvalidArgument::TypeGoes { resource_type, definition: Box::new(definition.without_uid()) }
}

/// Checks that the data, if any, are a message of the type.
fn check_data(registration: &Registration, resource: &Resource) -> Result<(), ServiceError> {
    let Some(data) = &resource.data else { return Ok(()) };
    let id = || Box::new(resource.id.clone());
    let expected = registration.resource_type.message_name();
    if data.message_name() != expected {
        let actual = data.message_name().to_owned();
        return Err(InvalidArgument::OtherData { id: id(), expected, got: actual }.into());
    }
    let checked = contained(resource, "check_data", || registration.hooks.check_data(data))?;
    Ok(checked.map_err(|source| InvalidArgument::Data { id: id(), source })?)
}

/// Returns the resource after the hooks of its type.
fn ask_type(registration: &Registration, resource: &Resource) -> Result<Resource, ServiceError> {
    let id = || Box::new(resource.id.clone());
    let mutated = contained(resource, "mutate", || registration.hooks.mutate(resource))?;
    let mutated = mutated.map_err(|source| ServiceError::Mutate { id: id(), source })?;
    // A hook can change the content of a resource, but not its identity.
    let admitted = match mutated {
        Some(Resource { data, metadata, .. }) => Resource { metadata, data, ..resource.clone() },
        None => resource.clone(),
    };
    let valid = contained(resource, "validate", || registration.hooks.validate(&admitted))?;
    valid.map_err(|source| InvalidArgument::Invalid { id: id(), source })?;
    Ok(admitted)
}

/// Converts the error of a store to that of the service.
pub(super) fn refusal(error: CommitError, id: &Id) -> ServiceError {
    let boxed_id = || Box::new(id.clone());
    match error {
        // The uid was read just before; a caller who gave one gets the error at the next attempt.
        CommitError::Conflict { .. }
        | CommitError::WrongUid { .. }
        | CommitError::Gone { .. }
        | CommitError::Requirement { .. } => Aborted::Conflict { id: boxed_id() }.into(),
        CommitError::Fenced { .. } => FailedPrecondition::LeaseLost.into(),
        CommitError::Invalid(invalid) => invalid.into(),
        CommitError::Unavailable(unavailable) => unavailable.into(),
    }
}
