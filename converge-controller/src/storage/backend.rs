//! The interface of stores.

use std::sync::Arc;

use async_trait::async_trait;

use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::{Resource, Version};

use super::error::{CommitError, ReadError, Unavailable};
use super::lease::{Lease, LeaseName};
use super::query::Query;
use super::transaction::{Change, Transaction};
use super::watch::Watch;

/// The required consistency of a read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Consistency {
    /// The result is as new as this server knows, and never goes back.
    ///
    /// It is not older than anything that was read on this server, or than an event that was received on it.
    #[default]
    Eventual,
    /// The result is as new as anything committed before the read began.
    Strong,
}

/// A store of resources.
///
/// All methods can be called concurrently. A future that is dropped before it ends has either done all of its
/// work or none.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// Reads one resource: the one with the uid, or without a uid the one that has the name.
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError>;

    /// Reads all matching resources, sorted by [`Key`](super::Key).
    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable>;

    /// Reads all resources of every type that a resource owns, sorted by [`Key`](super::Key).
    ///
    /// The owner may have been deleted. The result is as new as a [strong](Consistency::Strong) read.
    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable>;

    /// Lists the groups and kinds of all stored resources, sorted by [`Key`](super::Key).
    ///
    /// The list includes kinds that no program registers any more. It is as new as a
    /// [strong](Consistency::Strong) read, and its cost does not depend on the number of resources.
    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable>;

    /// Watches all matching resources.
    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable>;

    /// Makes all changes of a transaction or none.
    ///
    /// Returns the stored resources in the order of the changes.
    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError>;

    /// Applies for a lease: waits for it, keeps it, and releases it when the result is dropped.
    fn lease(&self, name: &LeaseName) -> Lease;

    /// Reads one resource if it exists, whatever version of its type it is stored as.
    async fn find(&self, id: &Id, consistency: Consistency) -> Result<Option<Arc<Resource>>, Unavailable> {
        match self.read(id, consistency).await {
            Ok(stored) | Err(ReadError::GroupVersionMismatch { stored, .. }) => Ok(Some(stored)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(ReadError::Unavailable(unavailable)) => Err(unavailable),
        }
    }

    /// Puts one resource, like [`Change::Put`].
    async fn write(&self, resource: Resource) -> Result<Arc<Resource>, CommitError> {
        let id = resource.id.clone();
        let stored = self.commit(Transaction::from_change(Change::Put(Box::new(resource)))).await?;
        stored.into_iter().next().ok_or_else(|| {
            CommitError::Unavailable(Unavailable::new(format!("the store did not give back {id}")))
        })
    }

    /// Deletes one resource, like [`Change::Delete`]. A missing resource or another uid is no error.
    async fn delete(&self, id: Id, version: Version) -> Result<(), CommitError> {
        match self.commit(Transaction::from_change(Change::Delete { id, version })).await {
            Ok(_) | Err(CommitError::Gone { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
