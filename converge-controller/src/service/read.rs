//! Reads of one resource.

use std::sync::Arc;

use crate::authorize::{Access, Verb};
use crate::identity::{Id, Uid};
use crate::resource::Resource;
use crate::storage::{Consistency, ReadError};

use super::client::{Client, denied};
use super::error::{InvalidArgument, ServiceError};
use super::owner::same_name;

impl Client {
    /// Reads a resource: the one with the uid, or without a uid the one that has the name.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`].
    pub async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ServiceError> {
        let (registration, id) = self.resolve(id)?;
        let authorize = |resource: Option<&Resource>| self.access_to_read(&registration, &id, resource);
        let denied = || denied(Verb::Read, &id);
        let first = authorize(None);
        if first == Access::Deny {
            return Err(denied());
        }
        let read = self.backend().read(&id, consistency).await;
        if first == Access::NeedResource {
            let stored = match &read {
                Ok(stored) | Err(ReadError::GroupVersionMismatch { stored, .. }) => Some(&**stored),
                Err(ReadError::NotFound { .. } | ReadError::Unavailable(_)) => None,
            };
            let allowed = match stored {
                Some(stored) => authorize(Some(stored)) == Access::Allow,
                // A caller without permission must not learn that the resource does not exist. A caller who
                // may write it would learn that from a write, and controllers have to know.
                None => self.may_write(&registration, &Resource::new(id.clone()), &id).is_ok(),
            };
            if !allowed {
                return Err(match read {
                    Err(ReadError::Unavailable(unavailable)) => unavailable.into(),
                    _ => denied(),
                });
            }
        }
        Ok(read?)
    }

    /// Reads a resource, or returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// The errors of [`read`](Self::read), except for [`NotFound`](ServiceError::NotFound).
    pub async fn find(
        &self,
        id: &Id,
        consistency: Consistency,
    ) -> Result<Option<Arc<Resource>>, ServiceError> {
        match self.read(id, consistency).await {
            Ok(resource) => Ok(Some(resource)),
            Err(ServiceError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads all resources that a resource owns, of every type, as far as the caller may read them.
    ///
    /// The identity must have a uid. The owner may have been deleted. A resource with another name or tenancy
    /// and that uid owns nothing.
    ///
    /// # Errors
    ///
    /// See the variants of [`ServiceError`].
    pub async fn list_by_owner(&self, owner: &Id) -> Result<Vec<Arc<Resource>>, ServiceError> {
        let (_, owner) = self.resolve(owner)?;
        let Some(uid) = owner.uid else {
            return Err(InvalidArgument::NoUid { id: Box::new(owner) }.into());
        };
        let mut children = self.list_by_uid_of_owner(uid).await?;
        children.retain(|child| child.owner.as_ref().is_some_and(|parent| same_name(parent, &owner)));
        Ok(children)
    }

    /// Like [`list_by_owner`](Self::list_by_owner), by uid.
    ///
    /// The type of the owner need not be registered any more.
    pub(crate) async fn list_by_uid_of_owner(&self, uid: Uid) -> Result<Vec<Arc<Resource>>, ServiceError> {
        let mut children = self.backend().list_by_owner(uid).await?;
        let types = self.service.types();
        children.retain(|resource| self.may_read(&types, resource));
        Ok(children)
    }
}
