//! Whether a transaction may happen, for stores that can look before they write.

use crate::identity::Uid;
use crate::resource::{Resource, Version};

use super::error::CommitError;
use super::transaction::{Change, Requirement};

impl Change {
    /// Checks it against what is stored under the name. A backend calls it where nothing can change before the commit.
    ///
    /// # Errors
    ///
    /// The change replaces another state than the one that is stored.
    pub fn check(&self, stored: Option<&Resource>) -> Result<(), CommitError> {
        self.check_state(stored.map(|stored| (stored.id.uid, stored.version.as_ref())))
    }

    /// The same, where only the uid and the version of what is stored are known.
    pub(super) fn check_state(
        &self,
        stored: Option<(Option<Uid>, Option<&Version>)>,
    ) -> Result<(), CommitError> {
        let (id, version) = match self {
            Self::Put(resource) => (&resource.id, resource.version.as_ref()),
            Self::Delete { id, version } => (id, Some(version)),
        };
        let id = || Box::new(id.clone());
        match (self, stored) {
            (Self::Put(_), None) if version.is_none() => Ok(()),
            (Self::Delete { .. }, None) => Err(CommitError::Gone { id: id() }),
            (Self::Put(put), Some((uid, _))) if version.is_some() && put.id.uid != uid => {
                let stored = uid.unwrap_or(Uid::from_bits(0));
                Err(CommitError::WrongUid { id: id(), stored })
            }
            (Self::Delete { id: given, .. }, Some((uid, _))) if given.uid != uid => {
                Err(CommitError::Gone { id: id() })
            }
            (_, Some((_, stored))) if stored == version => Ok(()),
            (_, _) => Err(CommitError::Conflict { id: id() }),
        }
    }
}

impl Requirement {
    /// Checks it against what is stored under the name, as [`Change::check`] is used.
    ///
    /// # Errors
    ///
    /// The resource is not as it has to be.
    pub fn check(&self, stored: Option<&Resource>) -> Result<(), CommitError> {
        let meant = stored.filter(|stored| self.id.uid.is_none() || stored.id.uid == self.id.uid);
        if self.state.holds(meant) {
            return Ok(());
        }
        Err(CommitError::Requirement { id: Box::new(self.id.clone()), state: self.state })
    }
}
