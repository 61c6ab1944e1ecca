//! Checks of transactions, for stores that can read before they write.

use crate::identity::{Id, Uid};
use crate::resource::{Resource, Version};

use super::error::CommitError;
use super::transaction::{Change, Requirement};

impl Change {
    /// Checks the change against the stored state.
    ///
    /// The store must prevent other changes until the commit.
    ///
    /// # Errors
    ///
    /// Fails if the stored state is not the one that the change replaces.
    pub fn check(&self, stored: Option<&Resource>) -> Result<(), CommitError> {
        let stored = stored.map(|stored| (stored.id.uid, stored.version.as_ref()));
        match self {
            Self::Put(resource) => check_put(resource, stored),
            Self::Delete { id, version } => check_delete(id, version, stored),
        }
    }
}

/// The uid and the version of the resource stored under a name.
pub(super) type State<'a> = Option<(Option<Uid>, Option<&'a Version>)>;

/// Checks that a resource may replace the stored one.
pub(super) fn check_put(resource: &Resource, stored: State<'_>) -> Result<(), CommitError> {
    let id = || Box::new(resource.id.clone());
    match (&resource.version, stored) {
        (None, None) => Ok(()),
        (Some(_), Some((uid, _))) if resource.id.uid != uid => {
            Err(CommitError::WrongUid { id: id(), stored: uid.unwrap_or(Uid::from_bits(0)) })
        }
        (version, Some((_, stored))) if stored == version.as_ref() => Ok(()),
        (_, _) => Err(CommitError::Conflict { id: id() }),
    }
}

/// Checks that the stored resource is the one to delete.
pub(super) fn check_delete(id: &Id, version: &Version, stored: State<'_>) -> Result<(), CommitError> {
    match stored {
        Some((uid, _)) if uid != id.uid => Err(CommitError::Gone { id: Box::new(id.clone()) }),
        Some((_, Some(stored))) if stored == version => Ok(()),
        Some(_) => Err(CommitError::Conflict { id: Box::new(id.clone()) }),
        None => Err(CommitError::Gone { id: Box::new(id.clone()) }),
    }
}

impl Requirement {
    /// Checks the requirement against the stored state, like [`Change::check`].
    ///
    /// # Errors
    ///
    /// Fails if the resource does not meet the requirement.
    pub fn check(&self, stored: Option<&Resource>) -> Result<(), CommitError> {
        let target = stored.filter(|stored| self.id.uid.is_none() || stored.id.uid == self.id.uid);
        if self.state.holds(target) {
            return Ok(());
        }
        Err(CommitError::Requirement { id: Box::new(self.id.clone()), state: self.state })
    }
}
