//! A store that reports its calls to a test.

use std::sync::Arc;

use async_trait::async_trait;

use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::Resource;
use crate::storage::{
    Backend, CommitError, Consistency, Lease, LeaseName, Memory, Query, ReadError, Transaction, Unavailable,
    Watch,
};

/// Observes the calls of a store, and can refuse some.
pub(crate) trait Oversee: Send + Sync + 'static {
    /// Called before a read.
    fn read(&self, consistency: Consistency) {
        let _ = consistency;
    }

    /// Called before a watch.
    fn watch(&self, query: &Query) -> Result<(), Unavailable> {
        let _ = query;
        Ok(())
    }
}

/// A store in memory that reports each call before it is made.
#[derive(Default)]
pub(crate) struct Overseen<O> {
    pub(crate) store: Memory,
    pub(crate) by: O,
}

#[async_trait]
impl<O: Oversee> Backend for Overseen<O> {
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError> {
        self.by.read(consistency);
        self.store.read(id, consistency).await
    }

    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.by.read(consistency);
        self.store.list(query, consistency).await
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.store.list_by_owner(owner).await
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        self.store.kinds().await
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        self.by.watch(query)?;
        self.store.watch(query).await
    }

    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        self.store.commit(transaction).await
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        self.store.lease(name)
    }
}
