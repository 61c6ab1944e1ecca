//! Whether a transaction may happen, for stores that can look before they write.

use crate::identity::Uid;
use crate::resource::Resource;

use super::error::CommitError;
use super::transaction::{Change, Requirement};

impl Change {
    /// Checks it against what is stored under the name. A backend calls it where nothing can change before the commit.
    ///
    /// # Errors
    ///
    /// The change replaces another state than the one that is stored.
    pub fn check(&self, stored: Option<&Resource>) -> Result<(), CommitError> {
        let (id, version) = match self {
            Self::Put(resource) => (&resource.id, resource.version.as_ref()),
            Self::Delete { id, version } => (id, Some(version)),
        };
        let id = || Box::new(id.clone());
        let same_version = |stored: &Resource| stored.version.as_ref() == version;
        match (self, stored) {
            (Self::Put(_), None) if version.is_none() => Ok(()),
            (Self::Delete { .. }, None) => Err(CommitError::Gone { id: id() }),
            (Self::Put(put), Some(stored)) if version.is_some() && put.id.uid != stored.id.uid => {
                let stored = stored.id.uid.unwrap_or(Uid::from_bits(0));
                Err(CommitError::WrongUid { id: id(), stored })
            }
            (Self::Delete { id: given, .. }, Some(stored)) if given.uid != stored.id.uid => {
                Err(CommitError::Gone { id: id() })
            }
            (_, Some(stored)) if same_version(stored) => Ok(()),
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
