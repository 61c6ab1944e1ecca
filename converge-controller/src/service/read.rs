//! Reading one resource.

use std::sync::Arc;

use crate::authorize::{Access, Verb};
use crate::identity::{Id, Uid};
use crate::resource::Resource;
use crate::storage::{Consistency, ReadError};

use super::client::{Client, denied};
use super::error::{InvalidArgument, ServiceError};
use super::owner::same_name;

impl Client {
    /// Reads a resource: the one with the uid, or without a uid whichever has the name.
    ///
    /// # Errors
    ///
    /// One of [`ServiceError`], as its variants say.
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
                // That there is nothing to look at is not to be told to whom it may not concern. Whoever may write it
                // would learn it by that; a controller has to learn it.
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

    /// Reads a resource, as far as there is one.
    ///
    /// # Errors
    ///
    /// Those of [`read`](Self::read), but for [`NotFound`](ServiceError::NotFound).
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

    /// Reads all that a resource owns, of whatever type, as far as the caller may read it. The identity has to have the uid;
    /// that the resource is gone does not matter. One of another name or tenancy with that uid owns nothing.
    ///
    /// # Errors
    ///
    /// One of [`ServiceError`], as its variants say.
    pub async fn list_by_owner(&self, owner: &Id) -> Result<Vec<Arc<Resource>>, ServiceError> {
        let (_, owner) = self.resolve(owner)?;
        let Some(uid) = owner.uid else {
            return Err(InvalidArgument::NoUid { id: Box::new(owner) }.into());
        };
        let mut children = self.list_by_uid_of_owner(uid).await?;
        children.retain(|child| child.owner.as_ref().is_some_and(|of| same_name(of, &owner)));
        Ok(children)
    }

    /// As [`list_by_owner`](Self::list_by_owner), where the type of the owner need not be registered any more.
    pub(crate) async fn list_by_uid_of_owner(&self, uid: Uid) -> Result<Vec<Arc<Resource>>, ServiceError> {
        let mut children = self.backend().list_by_owner(uid).await?;
        let types = self.service.types();
        children.retain(|resource| self.may_read(&types, resource));
        Ok(children)
    }
}
