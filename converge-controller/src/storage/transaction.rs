//! Changes, all or none of which happen.

use std::collections::HashSet;

use crate::identity::Id;
use crate::resource::{Resource, Version};

use super::key::Key;
use super::lease::Fence;

/// Changes, all or none of which happen, and what has to be so for that.
///
/// No two of its changes are of one resource, and each names the uid of the resource. What is not so is
/// [refused](Transaction::check) by every store.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    /// What it does.
    pub changes: Vec<Change>,
    /// What it relies on.
    pub requirements: Vec<Requirement>,
    /// The lease in whose name it is done.
    pub fence: Option<Fence>,
}

/// One change.
#[derive(Clone, Debug)]
pub enum Change {
    /// Stores a resource, which has to have a uid. Its version is the one that it replaces; one without a version must
    /// not exist yet. It is stored with a new version.
    Put(Box<Resource>),
    /// Removes a resource in the state of a version. The identity has to have a uid.
    Delete {
        /// The resource.
        id: Id,
        /// The state that it is in.
        version: Version,
    },
}

/// A transaction can never happen, whatever is stored: whoever made it has a mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTransaction {
    /// Two of its changes are of one resource.
    #[error("a transaction changes {id} twice: make one change of both")]
    Twice {
        /// The resource.
        id: Box<Id>,
    },
    /// A change does not say of which resource of the name it is.
    #[error(
        "a transaction changes {id} without its uid: give it, so that no other resource of that name can be meant"
    )]
    NoUid {
        /// The resource.
        id: Box<Id>,
    },
    /// A resource is larger than the store can keep.
    #[error(
        "{id} has {bytes} bytes, and the store keeps {most} of a resource at most: keep large data elsewhere, and where they are in it"
    )]
    TooLarge {
        /// The resource.
        id: Box<Id>,
        /// How many bytes it has, as it would be stored.
        bytes: usize,
        /// How many it may have.
        most: usize,
    },
}

/// A resource that a transaction relies on without changing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The resource. With a uid it has to have that one.
    pub id: Id,
    /// What it has to be.
    pub state: RequirementState,
}

/// What a resource that a transaction relies on has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequirementState {
    /// There.
    Present,
    /// There, and not marked for deletion.
    NotMarkedForDeletion,
}

impl RequirementState {
    /// What a resource is that is not so.
    pub(super) fn broken(self) -> &'static str {
        match self {
            Self::Present => "does not exist",
            Self::NotMarkedForDeletion => "does not exist, or is marked for deletion",
        }
    }

    /// Whether a resource is so; `None` for one that is not there.
    pub(super) fn holds(self, resource: Option<&Resource>) -> bool {
        match (self, resource) {
            (_, None) => false,
            (Self::Present, Some(_)) => true,
            (Self::NotMarkedForDeletion, Some(resource)) => !resource.metadata.is_marked_for_deletion(),
        }
    }
}

impl Change {
    /// The resource that is changed.
    pub fn id(&self) -> &Id {
        match self {
            Self::Put(resource) => &resource.id,
            Self::Delete { id, .. } => id,
        }
    }
}

impl Transaction {
    /// A transaction of one change.
    pub fn of(change: Change) -> Self {
        Self { changes: vec![change], ..Self::default() }
    }

    /// Makes one change more.
    pub fn and(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Checks what does not depend on what is stored. A backend calls it before anything else.
    ///
    /// # Errors
    ///
    /// Two changes are of one resource, or one does not name the uid.
    pub fn check(&self) -> Result<(), InvalidTransaction> {
        if let Some(change) = self.changes.iter().find(|change| change.id().uid.is_none()) {
            return Err(InvalidTransaction::NoUid { id: Box::new(change.id().clone()) });
        }
        // Most have one change.
        if self.changes.len() > 1 {
            let mut changed = HashSet::with_capacity(self.changes.len());
            if let Some(twice) = self.changes.iter().find(|change| !changed.insert(Key::of(change.id()))) {
                return Err(InvalidTransaction::Twice { id: Box::new(twice.id().clone()) });
            }
        }
        Ok(())
    }

    /// Relies on one resource more.
    pub fn require(mut self, id: Id, state: RequirementState) -> Self {
        self.requirements.push(Requirement { id, state });
        self
    }

    /// Is done only while a lease is held.
    pub fn fenced_by(self, fence: Option<Fence>) -> Self {
        Self { fence, ..self }
    }
}
