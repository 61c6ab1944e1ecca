//! A store that measures each operation.

use std::sync::Arc;

use async_trait::async_trait;
use converge_controller::storage::{
    Backend, CommitError, Consistency, Lease, LeaseName, Query, ReadError, Transaction, Unavailable, Watch,
};
use converge_controller::{Group, Id, Kind, Resource, Uid};
use futures_util::stream::StreamExt as _;

use super::store::{Operation, Outcome, StoreCounts};

/// Wraps another store and counts each operation.
///
/// The overhead is two clock reads and a few additions.
pub(crate) struct CountingStore {
    store: Arc<dyn Backend>,
    counts: Arc<StoreCounts>,
}

impl CountingStore {
    pub(crate) fn new(store: Arc<dyn Backend>, counts: Arc<StoreCounts>) -> Self {
        Self { store, counts }
    }

    /// Runs an operation whose only error is an unavailable store, and counts its outcome.
    async fn count<T>(
        &self,
        operation: Operation,
        asked: impl Future<Output = Result<T, Unavailable>>,
    ) -> Result<T, Unavailable> {
        let ongoing = self.counts.begin(operation);
        let answer = asked.await;
        ongoing.end(if answer.is_ok() { Outcome::Ok } else { Outcome::Unavailable });
        answer
    }
}

#[async_trait]
impl Backend for CountingStore {
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError> {
        let ongoing = self.counts.begin(Operation::Read);
        let answer = self.store.read(id, consistency).await;
        ongoing.end(match &answer {
            Ok(_) | Err(ReadError::NotFound { .. }) => Outcome::Ok,
            Err(ReadError::GroupVersionMismatch { .. }) => Outcome::Other,
            Err(ReadError::Unavailable(_)) => Outcome::Unavailable,
        });
        answer
    }

    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.count(Operation::List, self.store.list(query, consistency)).await
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.count(Operation::List, self.store.list_by_owner(owner)).await
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        self.count(Operation::List, self.store.kinds()).await
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        let watch = self.count(Operation::Watch, self.store.watch(query)).await?;
        let open = self.counts.open_watch();
        Ok(Watch::new(watch.map(move |event| {
            let _open = &open;
            event
        })))
    }

    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        let ongoing = self.counts.begin(Operation::Write);
        let answer = self.store.commit(transaction).await;
        ongoing.end(match &answer {
            Ok(_) => Outcome::Ok,
            Err(
                CommitError::Conflict { .. }
                | CommitError::WrongUid { .. }
                | CommitError::Gone { .. }
                | CommitError::Requirement { .. },
            ) => Outcome::Conflict,
            Err(CommitError::Invalid(_) | CommitError::Fenced { .. }) => Outcome::Other,
            Err(CommitError::Unavailable(_)) => Outcome::Unavailable,
        });
        answer
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        let lease = self.store.lease(name);
        let (held, vacancy) = (lease.watch(), lease.vacancy());
        let candidate = self.counts.add_candidate(held.clone());
        Lease::new(held, (lease, candidate)).with_vacancy(vacancy)
    }
}
