//! Transactions: changes that are made all or not at all.

use std::collections::HashSet;

use crate::debug_as_text;
use crate::identity::Id;
use crate::resource::{Resource, Version};

use super::key::Key;
use super::lease::Fence;

/// Changes that are made all or not at all, with the requirements for them.
///
/// Each change is of a different resource, and names the uid of its resource. All stores
/// [refuse](Transaction::check) other transactions.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    /// The changes.
    pub changes: Vec<Change>,
    /// The resources that the transaction relies on.
    pub requirements: Vec<Requirement>,
    /// The lease that must be held.
    pub fence: Option<Fence>,
}

/// A change of one resource.
#[derive(Clone, Debug)]
pub enum Change {
    /// Stores a resource, which must have a uid, under a new version.
    ///
    /// Its version is the one that it replaces; without a version the resource must not exist.
    Put(Box<Resource>),
    /// Deletes a resource in the state with a version. The identity must have a uid.
    Delete {
        /// The resource.
        id: Id,
        /// The version of the current state.
        version: Version,
    },
}

/// The reason why a transaction can never succeed, which is a defect of its author.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTransaction {
    /// Two changes are of the same resource.
    #[error("a transaction changes {id} twice: make one change of both")]
    Twice {
        /// The resource.
        id: Box<Id>,
    },
    /// A change names no uid.
    #[error(
        "a transaction changes {id} without its uid: give it, so that a later resource of that name is not affected"
    )]
    NoUid {
        /// The resource.
        id: Box<Id>,
    },
    /// A resource is larger than the store allows.
    #[error(
        "{id} has {bytes} bytes, and the store keeps {most} of a resource at most: keep large data elsewhere, and where they are in it"
    )]
    TooLarge {
        /// The resource.
        id: Box<Id>,
        /// The size of the encoded resource in bytes.
        bytes: usize,
        /// The maximum size in bytes.
        most: usize,
    },
}

debug_as_text!(InvalidTransaction);

/// A resource that a transaction relies on without changing it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The resource. If a uid is given, it must match.
    pub id: Id,
    /// The required state.
    pub state: RequirementState,
}

/// The required state of a resource that a transaction relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequirementState {
    /// The resource exists.
    Present,
    /// The resource exists, and is not marked for deletion.
    NotMarkedForDeletion,
}

impl RequirementState {
    /// Describes a resource that does not have this state.
    pub(super) fn violation(self) -> &'static str {
        match self {
            Self::Present => "does not exist",
            Self::NotMarkedForDeletion => "does not exist, or is marked for deletion",
        }
    }

    /// Returns whether a resource has this state; `None` stands for a missing one.
    pub(super) fn holds(self, resource: Option<&Resource>) -> bool {
        match (self, resource) {
            (_, None) => false,
            (Self::Present, Some(_)) => true,
            (Self::NotMarkedForDeletion, Some(resource)) => !resource.metadata.is_marked_for_deletion(),
        }
    }
}

impl Change {
    /// Returns the identity of the changed resource.
    pub fn id(&self) -> &Id {
        match self {
            Self::Put(resource) => &resource.id,
            Self::Delete { id, .. } => id,
        }
    }
}

impl Transaction {
    /// Creates a transaction with one change.
    pub fn from_change(change: Change) -> Self {
        Self { changes: vec![change], ..Self::default() }
    }

    /// Adds a change.
    pub fn and(mut self, change: Change) -> Self {
        self.changes.push(change);
        self
    }

    /// Checks the transaction independently of the stored state.
    ///
    /// A store calls it first.
    ///
    /// # Errors
    ///
    /// Fails if two changes are of the same resource, or if a change names no uid.
    pub fn check(&self) -> Result<(), InvalidTransaction> {
        if let Some(change) = self.changes.iter().find(|change| change.id().uid.is_none()) {
            return Err(InvalidTransaction::NoUid { id: Box::new(change.id().clone()) });
        }
        // Most transactions have only one change.
        if self.changes.len() > 1 {
            let mut changed = HashSet::with_capacity(self.changes.len());
            if let Some(twice) = self.changes.iter().find(|change| !changed.insert(Key::from_id(change.id())))
            {
                return Err(InvalidTransaction::Twice { id: Box::new(twice.id().clone()) });
            }
        }
        Ok(())
    }

    /// Adds a requirement.
    pub fn require(mut self, id: Id, state: RequirementState) -> Self {
        self.requirements.push(Requirement { id, state });
        self
    }

    /// Sets the lease that must be held.
    pub fn fenced_by(self, fence: Option<Fence>) -> Self {
        Self { fence, ..self }
    }
}
