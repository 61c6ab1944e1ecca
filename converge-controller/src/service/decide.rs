//! What a write does to what is stored: the rules, without a store.

use crate::builtin_types::{finalizer_of, is_always_there};
use crate::identity::{Id, Uid};
use crate::resource::Resource;

use super::error::{Aborted, FailedPrecondition, InvalidArgument, MarkProblem, OwnerProblem, ServiceError};

/// What a write does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// Stores a resource that was not there. It lacks uid and generation.
    Create(Resource),
    /// Stores another state of a resource. It lacks the generation; its version is the one that it replaces.
    Update(Resource),
    /// Removes the last finalizer of a resource that is marked for deletion, which deletes it. This is its last state.
    Free(Resource),
}

/// What a write does where nothing is stored.
pub(super) fn create(given: &Resource) -> Result<Decision, ServiceError> {
    let id = || Box::new(given.id.clone());
    if given.id.uid.is_some() {
        return Err(FailedPrecondition::Gone { id: id() }.into());
    }
    if given.version.is_some() {
        return Err(Aborted::Conflict { id: id() }.into());
    }
    if !given.status.is_empty() {
        return Err(InvalidArgument::StatusByWrite { id: id() }.into());
    }
    if given.metadata.is_marked_for_deletion() {
        return Err(InvalidArgument::Mark { id: id(), problem: MarkProblem::OnCreation }.into());
    }
    let mut created = given.clone();
    hold(&mut created);
    created.metadata.normalize();
    Ok(Decision::Create(created))
}

/// What a write does where this is stored. `given` is what the type wants, or what was given where the type is not asked:
/// marking a resource for deletion, and freeing one that is marked.
pub(super) fn update(given: &Resource, stored: &Resource) -> Result<Decision, ServiceError> {
    let id = || Box::new(given.id.clone());
    let mark = |problem| ServiceError::from(InvalidArgument::Mark { id: id(), problem });
    let stored_uid = stored.id.uid;
    if given.id.uid.is_some() && given.id.uid != stored_uid {
        let stored = stored_uid.unwrap_or(Uid::from_bits(0));
        return Err(FailedPrecondition::WrongUid { id: id(), stored }.into());
    }
    if given.version.is_some() && given.version != stored.version {
        return Err(Aborted::Conflict { id: id() }.into());
    }
    let owner = owner(given, stored)?;
    if !given.status.is_empty() && given.status != stored.status {
        return Err(InvalidArgument::StatusByWrite { id: id() }.into());
    }

    let mut updated = Resource {
        id: Id { uid: stored_uid, ..given.id.clone() },
        owner,
        version: stored.version.clone(),
        generation: None,
        metadata: given.metadata.clone(),
        status: stored.status.clone(),
        data: given.data.clone(),
    };
    // Whoever gives a version has seen what is stored, and means what it says. Whoever does not leaves what it does not know.
    if given.version.is_none() {
        if !given.metadata.says_finalizers() {
            updated.metadata.take_finalizers_of(&stored.metadata);
        }
        if !given.metadata.is_marked_for_deletion() {
            updated.metadata.set_deletion_timestamp(stored.metadata.deletion_timestamp());
        }
    }
    updated.metadata.normalize();

    match (stored.metadata.deletion_timestamp(), updated.metadata.deletion_timestamp()) {
        (None, None) => {
            hold(&mut updated);
            Ok(Decision::Update(updated))
        }
        (None, Some(_)) if is_always_there(&stored.id) => {
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

/// Gives a partition or a namespace the finalizer of who empties it. Who did so later would come too late for one that is
/// deleted at once: what is in it would stay, in a tenancy that is not there.
fn hold(resource: &mut Resource) {
    if let Some(finalizer) = finalizer_of(&resource.id) {
        resource.metadata.add_finalizer(finalizer);
    }
}

/// Whether a write where this is stored only marks the resource for deletion, or only frees it: then its type is not asked,
/// so that one that became stricter cannot keep a resource for ever.
pub(super) fn is_part_of_deletion(given: &Resource, stored: &Resource) -> bool {
    stored.metadata.is_marked_for_deletion() || given.metadata.is_marked_for_deletion()
}

/// The owner, which stays what it was. One without uid means the one that it was, so that a file can be applied again.
fn owner(given: &Resource, stored: &Resource) -> Result<Option<Id>, InvalidArgument> {
    let same = match (&given.owner, &stored.owner) {
        (None, None) => true,
        (Some(given), Some(stored)) => {
            given.clone().without_uid() == stored.clone().without_uid()
                && (given.uid.is_none() || given.uid == stored.uid)
        }
        (None, Some(_)) | (Some(_), None) => false,
    };
    if same {
        return Ok(stored.owner.clone());
    }
    let owner = given.owner.clone().map(Box::new);
    Err(InvalidArgument::Owner { owner, problem: OwnerProblem::Changed })
}

/// Whether a write that marks a resource does nothing else.
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

/// Whether a write to a resource that is marked removes finalizers, and does nothing else.
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

/// Whether a resource says the same, in the same version of its type.
fn same_data(updated: &Resource, stored: &Resource) -> bool {
    updated.id.resource_type == stored.id.resource_type && updated.data == stored.data
}
