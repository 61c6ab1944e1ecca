//! The record of when tokens were last used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use converge_controller::service::{Client, StatusUpdate};
use converge_controller::{Status, StatusKey, Typed, Uid};
use jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use tokio_util::task::TaskTracker;

use super::token::Token;

/// The interval between two records of a token's use: a busy token costs one write in this time.
const HOUR: Duration = Duration::from_hours(1);
/// The delay before a failed record is retried.
const AGAIN: Duration = Duration::from_mins(1);
/// The maximum time for the store to record a use.
const TIME: Duration = Duration::from_secs(5);
/// The key of the use in the status of its token.
///
/// Its write time is the time of the use.
const KEY: &str = "use";

/// Records when tokens were last used, in the background.
///
/// No request waits for a record or fails with it.
#[derive(Clone)]
pub(super) struct TokenUsage {
    client: Client,
    /// The time of the last attempt to record each token that was used within the hour.
    tried: Arc<Mutex<HashMap<Uid, Instant>>>,
    /// Limits records to one at a time, so that a hanging store does not collect tasks.
    ///
    /// A skipped token is recorded at its next use.
    turn: Arc<Semaphore>,
    tasks: TaskTracker,
}

impl TokenUsage {
    pub(super) fn new(client: Client) -> Self {
        let turn = Arc::new(Semaphore::new(1));
        Self { client, tried: Arc::default(), turn, tasks: TaskTracker::new() }
    }

    /// Records that a token is used now.
    pub(super) fn note(&self, token: &Typed<Token>) {
        let (Some(uid), Some(generation)) = (token.id().uid, token.resource.generation) else { return };
        if self.was_noted(token) || self.tasks.is_closed() {
            return;
        }
        let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else { return };
        if !self.is_due(uid) {
            return;
        }
        let Ok(key) = KEY.parse::<StatusKey>() else { return };
        // The write is conditional on the version that was read. If the token has changed, that change was
        // its use, or the next use is recorded.
        let version = token.resource.version.clone();
        let update =
            StatusUpdate { id: token.id().clone(), version, key, status: Status::new(generation, []) };
        let client = self.client.clone();
        self.tasks.spawn(async move {
            match timeout(TIME, client.write_status(update)).await {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => tracing::debug!(%error, "the use of a token is not recorded"),
                Err(_) => tracing::debug!("the use of a token is not recorded: the store does not answer"),
            }
            drop(turn);
        });
    }

    /// Waits for pending records and starts no more.
    pub(super) async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Whether a use within the hour is already stored.
    fn was_noted(&self, token: &Typed<Token>) -> bool {
        let noted = token.resource.status.iter().find(|(key, _)| key.as_str() == KEY);
        let noted = noted.and_then(|(_, noted)| noted.updated_at);
        let now = Timestamp::try_from(self.client.service().clock().now()).unwrap_or(Timestamp::MAX);
        // A time in the future comes from a server with a different clock.
        noted.is_some_and(|noted| noted > now || now.duration_since(noted).unsigned_abs() < HOUR)
    }

    /// Whether the last attempt is long enough ago.
    ///
    /// Marks the token as attempted now.
    fn is_due(&self, uid: Uid) -> bool {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        tried.retain(|_, at| at.elapsed() < AGAIN);
        let is_due = !tried.contains_key(&uid);
        if is_due {
            tried.insert(uid, Instant::now());
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use std::time::SystemTime;

    use async_trait::async_trait;
    use converge_controller::authorize::Caller;
    use converge_controller::clock::{Clock, Random};
    use converge_controller::registry::TypeRegistry;
    use converge_controller::service::Service;
    use converge_controller::storage::{
        Backend, CommitError, Consistency, Lease, LeaseName, Memory, Query, ReadError, Transaction,
        Unavailable, Watch,
    };
    use converge_controller::{Group, Id, Kind, Resource, Tenancy};
    use tokio::time::{advance, sleep};

    use super::*;

    /// A store that counts transactions and can be told to fail or to hang.
    #[derive(Default)]
    struct Store {
        memory: Memory,
        commits: AtomicU64,
        hangs: AtomicBool,
        is_full: AtomicBool,
    }

    #[async_trait]
    impl Backend for Store {
        async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError> {
            self.memory.read(id, consistency).await
        }

        async fn list(&self, query: &Query, at: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
            self.memory.list(query, at).await
        }

        async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
            self.memory.list_by_owner(owner).await
        }

        async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
            self.memory.kinds().await
        }

        async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
            self.memory.watch(query).await
        }

        async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
            self.commits.fetch_add(1, Ordering::SeqCst);
            if self.hangs.load(Ordering::SeqCst) {
                std::future::pending::<()>().await;
            }
            if self.is_full.load(Ordering::SeqCst) {
                return Err(Unavailable::new("the disk is full").into());
            }
            self.memory.commit(transaction).await
        }

        fn lease(&self, name: &LeaseName) -> Lease {
            self.memory.lease(name)
        }
    }

    struct Stage {
        store: Arc<Store>,
        client: Client,
        uses: TokenUsage,
    }

    impl Stage {
        async fn new() -> Self {
            let store = Arc::new(Store::default());
            let mut types = TypeRegistry::new();
            types.register::<Token>().unwrap();
            let clock = Clock::following_tokio(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000));
            let service = Service::new(store.clone(), types, clock, Random::from_seed(1)).unwrap();
            let client = service.client(Caller::system());
            let token = Token { sha256: "0".repeat(64), ..Token::default() };
            let stage = Self { store, uses: TokenUsage::new(client.clone()), client };
            stage
                .client
                .write_as(Typed::named(Tenancy::Cluster, "ci".parse().unwrap(), token))
                .await
                .unwrap();
            stage.store.commits.store(0, Ordering::SeqCst);
            stage
        }

        async fn token(&self) -> Typed<Token> {
            let id = Typed::named(Tenancy::Cluster, "ci".parse().unwrap(), Token::default()).id().clone();
            self.client.find_as::<Token>(&id, Consistency::Strong).await.unwrap().unwrap()
        }

        /// Uses the token repeatedly and returns the number of transactions once the background work is done.
        async fn uses(&self, times: u32) -> u64 {
            for _ in 0..times {
                self.uses.note(&self.token().await);
                tokio::task::yield_now().await;
            }
            sleep(TIME * 2).await;
            self.store.commits.swap(0, Ordering::SeqCst)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_token_costs_one_write_an_hour() {
        let stage = Stage::new().await;
        assert!(stage.token().await.resource.status.is_empty());
        assert_eq!(stage.uses(1000).await, 1);
        let noted = stage.token().await.resource.status.values().next().unwrap().updated_at;
        assert_eq!(noted.unwrap().as_second(), 1_000_000);
        advance(Duration::from_mins(58)).await;
        assert_eq!(stage.uses(100).await, 0);
        advance(Duration::from_mins(2)).await;
        assert_eq!(stage.uses(100).await, 1);
        // Another server sees the recorded use too.
        let other = Stage { uses: TokenUsage::new(stage.client.clone()), ..stage };
        assert_eq!(other.uses(100).await, 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_store_that_hangs_or_is_full_is_asked_now_and_then() {
        let stage = Stage::new().await;
        for broken in [&stage.store.hangs, &stage.store.is_full] {
            broken.store(true, Ordering::SeqCst);
            assert_eq!(stage.uses(1000).await, 1);
            assert_eq!(stage.uses(1000).await, 0);
            advance(AGAIN).await;
            assert_eq!(stage.uses(1000).await, 1);
            advance(AGAIN).await;
            broken.store(false, Ordering::SeqCst);
        }
        assert_eq!(stage.uses(1000).await, 1);
        assert_eq!(stage.token().await.resource.status.len(), 1);
        stage.uses.finish().await;
        advance(HOUR * 2).await;
        assert_eq!(stage.uses(10).await, 0, "the server has stopped");
    }
}
