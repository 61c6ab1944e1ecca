//! A store that tells a test what it is asked.

use std::sync::Arc;

use async_trait::async_trait;

use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::Resource;
use crate::storage::{
    Backend, CommitError, Consistency, Lease, LeaseName, Memory, Query, ReadError, Transaction, Unavailable,
    Watch,
};

/// What a test wants to know of the calls of a store, or to have refused.
pub(crate) trait Oversee: Send + Sync + 'static {
    /// Something is read.
    fn read(&self, consistency: Consistency) {
        let _ = consistency;
    }

    /// Something is to be watched.
    fn watch(&self, query: &Query) -> Result<(), Unavailable> {
        let _ = query;
        Ok(())
    }
}

/// A store in memory, each call of which somebody sees before it is made.
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
