//! What every store can do.

use std::sync::Arc;

use async_trait::async_trait;

use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::{Resource, Version};

use super::error::{CommitError, ReadError, Unavailable};
use super::lease::{Lease, LeaseName};
use super::query::Query;
use super::transaction::{Change, Transaction};
use super::watch::Watch;

/// How new what is read has to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Consistency {
    /// As new as this server knows, which never goes back to something older: not behind what was read here, and not
    /// behind an event that was received here.
    #[default]
    Eventual,
    /// As new as anything that was committed before the read began.
    Strong,
}

/// A store of resources.
///
/// All of it can be called from any number of tasks at a time. A future that is dropped before it ends has either done
/// its work or not.
#[async_trait]
pub trait Backend: Send + Sync + 'static {
    /// Reads one resource: the one with the uid, or without a uid whichever has the name.
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError>;

    /// Reads all that a query means, in the order of their [`Key`](super::Key)s.
    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable>;

    /// Reads all that a resource owns, of whatever type, in the order of their [`Key`](super::Key)s. That the owner is
    /// gone does not matter. It is as new as a [strong](Consistency::Strong) read.
    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable>;

    /// Which groups and kinds there is anything of, in the order of their [`Key`](super::Key)s: also those that no program
    /// knows any more. It is as new as a [strong](Consistency::Strong) read, and costs no more the more there is of each.
    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable>;

    /// Watches all that a query means.
    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable>;

    /// Makes all changes of a transaction, or none, and gives what was put, in the order of the changes.
    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError>;

    /// Stands for a lease: waits for it, keeps it, and gives it back when what is returned is dropped.
    fn lease(&self, name: &LeaseName) -> Lease;

    /// Reads one resource as far as it is there, with whichever version of its group it is stored.
    async fn find(&self, id: &Id, consistency: Consistency) -> Result<Option<Arc<Resource>>, Unavailable> {
        match self.read(id, consistency).await {
            Ok(stored) | Err(ReadError::GroupVersionMismatch { stored, .. }) => Ok(Some(stored)),
            Err(ReadError::NotFound { .. }) => Ok(None),
            Err(ReadError::Unavailable(unavailable)) => Err(unavailable),
        }
    }

    /// Puts one resource, as [`Change::Put`] does.
    async fn write(&self, resource: Resource) -> Result<Arc<Resource>, CommitError> {
        let id = resource.id.clone();
        let stored = self.commit(Transaction::of(Change::Put(Box::new(resource)))).await?;
        stored.into_iter().next().ok_or_else(|| {
            CommitError::Unavailable(Unavailable::new(format!("the store did not give back {id}")))
        })
    }

    /// Removes one resource, as [`Change::Delete`] does. That it is not there, or has another uid, is no error.
    async fn delete(&self, id: Id, version: Version) -> Result<(), CommitError> {
        match self.commit(Transaction::of(Change::Delete { id, version })).await {
            Ok(_) | Err(CommitError::Gone { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
