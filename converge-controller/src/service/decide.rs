//! The rules of writes, independent of a store.

use crate::builtin_types::{finalizer_of, is_default};
use crate::identity::{Id, Uid};
use crate::resource::Resource;

use super::error::{Aborted, FailedPrecondition, InvalidArgument, MarkProblem, OwnerProblem, ServiceError};

/// The effect of a write.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Create this resource. The uid and the generation are not set yet.
    Create(Resource),
    /// Replace the stored state. The generation is not set yet; the version is that of the replaced state.
    Update(Resource),
    /// Delete the resource, whose last finalizer the write removes.
    ///
    /// The resource is marked for deletion. The value is its last state.
    Free(Resource),
}

/// Decides the effect of a write if no resource is stored.
pub(super) fn create(candidate: &Resource) -> Result<Decision, ServiceError> {
    let id = || Box::new(candidate.id.clone());
    if candidate.id.uid.is_some() {
        return Err(FailedPrecondition::Gone { id: id() }.into());
    }
    if candidate.version.is_some() {
        return Err(Aborted::Conflict { id: id() }.into());
    }
    if !candidate.status.is_empty() {
        return Err(InvalidArgument::StatusByWrite { id: id() }.into());
    }
    if candidate.metadata.is_marked_for_deletion() {
        return Err(InvalidArgument::Mark { id: id(), problem: MarkProblem::OnCreation }.into());
    }
    let mut created = candidate.clone();
    add_tenancy_finalizer(&mut created);
    created.metadata.normalize();
    Ok(Decision::Create(created))
}

/// Decides the effect of a write on a stored resource.
///
/// `given` is the result of the mutate hook, or the original for writes that skip hooks: marking a resource
/// for deletion, and freeing a marked one.
pub(super) fn update(candidate: &Resource, stored: &Resource) -> Result<Decision, ServiceError> {
    let id = || Box::new(candidate.id.clone());
    let mark = |problem| ServiceError::from(InvalidArgument::Mark { id: id(), problem });
    let stored_uid = stored.id.uid;
    if candidate.id.uid.is_some() && candidate.id.uid != stored_uid {
        let stored = stored_uid.unwrap_or(Uid::from_bits(0));
        return Err(FailedPrecondition::WrongUid { id: id(), stored }.into());
    }
    if candidate.version.is_some() && candidate.version != stored.version {
        return Err(Aborted::Conflict { id: id() }.into());
    }
    let owner = owner(candidate, stored)?;
    if !candidate.status.is_empty() && candidate.status != stored.status {
        return Err(InvalidArgument::StatusByWrite { id: id() }.into());
    }

    let mut updated = Resource {
        id: Id { uid: stored_uid, ..candidate.id.clone() },
        owner,
        version: stored.version.clone(),
        generation: None,
        metadata: candidate.metadata.clone(),
        status: stored.status.clone(),
        data: candidate.data.clone(),
    };
    // A writer that gives the version has seen the stored resource, so its write replaces everything. A
    // writer without a version keeps what it does not set.
    if candidate.version.is_none() {
        if !candidate.metadata.says_finalizers() {
            updated.metadata.take_finalizers_of(&stored.metadata);
        }
        if !candidate.metadata.is_marked_for_deletion() {
            updated.metadata.set_deletion_timestamp(stored.metadata.deletion_timestamp());
        }
    }
    updated.metadata.normalize();

    match (stored.metadata.deletion_timestamp(), updated.metadata.deletion_timestamp()) {
        (None, None) => {
            add_tenancy_finalizer(&mut updated);
            Ok(Decision::Update(updated))
        }
        (None, Some(_)) if is_default(&stored.id) => {
            Err(FailedPrecondition::Protected { id: Box::new(stored.id.clone()) }.into())
        }
        (None, Some(_)) => marking(&updated, stored).map_err(mark).map(|()| Decision::Update(updated)),
        (Some(_), None) => Err(mark(MarkProblem::Removed)),
        (Some(before), Some(after)) if before != after => Err(mark(MarkProblem::Changed)),
        (Some(_), Some(_)) => {
            freeing(&updated, stored).map_err(mark)?;
            let freed = !updated.metadata.has_finalizers();
            Ok(if freed { Decision::Free(updated) } else { Decision::Update(updated) })
        }
    }
}

/// Adds the finalizer of the emptying controller to a partition or namespace.
///
/// A finalizer added later would be too late for one that is deleted at once: its contents would stay in a
/// tenancy that does not exist.
fn add_tenancy_finalizer(resource: &mut Resource) {
    if let Some(finalizer) = finalizer_of(&resource.id) {
        resource.metadata.add_finalizer(finalizer);
    }
}

/// Returns whether a write only marks a resource for deletion, or only frees it.
///
/// Such a write skips the hooks, so that a type whose rules became stricter cannot block the deletion.
pub(super) fn is_part_of_deletion(candidate: &Resource, stored: &Resource) -> bool {
    stored.metadata.is_marked_for_deletion() || candidate.metadata.is_marked_for_deletion()
}

/// Returns the owner, which cannot change.
///
/// An owner without uid means the stored one, so that a file can be applied again.
fn owner(candidate: &Resource, stored: &Resource) -> Result<Option<Id>, InvalidArgument> {
    let is_same = match (&candidate.owner, &stored.owner) {
        (None, None) => true,
        (Some(given), Some(stored)) => {
            given.clone().without_uid() == stored.clone().without_uid()
                && (given.uid.is_none() || given.uid == stored.uid)
        }
        (None, Some(_)) | (Some(_), None) => false,
    };
    if is_same {
        return Ok(stored.owner.clone());
    }
    let owner = candidate.owner.clone().map(Box::new);
    Err(InvalidArgument::Owner { owner, problem: OwnerProblem::Changed })
}

/// Checks that a write that marks a resource for deletion changes nothing else.
fn marking(updated: &Resource, stored: &Resource) -> Result<(), MarkProblem> {
    if !stored.metadata.has_finalizers() {
        return Err(MarkProblem::WithoutFinalizers);
    }
    let same_finalizers = updated.metadata.finalizers().eq(stored.metadata.finalizers());
    if !same_finalizers || !updated.metadata.same_notes(&stored.metadata) {
        return Err(MarkProblem::WithMetadata);
    }
    if !same_data(updated, stored) {
        return Err(MarkProblem::WithData);
    }
    Ok(())
}

/// Checks that a write to a marked resource only removes finalizers.
fn freeing(updated: &Resource, stored: &Resource) -> Result<(), MarkProblem> {
    if !updated.metadata.same_notes(&stored.metadata) {
        return Err(MarkProblem::FrozenMetadata);
    }
    if !same_data(updated, stored) {
        return Err(MarkProblem::FrozenData);
    }
    if updated.metadata.finalizers().any(|finalizer| !stored.metadata.has_finalizer(finalizer)) {
        return Err(MarkProblem::FinalizerAdded);
    }
    if updated.metadata.finalizers().count() == stored.metadata.finalizers().count() {
        return Err(MarkProblem::NoChange);
    }
    Ok(())
}

/// Returns whether the data and the version of the type are unchanged.
fn same_data(updated: &Resource, stored: &Resource) -> bool {
    updated.id.resource_type == stored.id.resource_type && updated.data == stored.data
}
