//! A store that fails, and simulations with it.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use async_trait::async_trait;
use futures_core::Stream;
use tokio::time::sleep;

use crate::clock::Random;
use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::Resource;
use crate::storage::{
    Backend, CommitError, Consistency, Lease, LeaseName, LocalLeases, Query, ReadError, Transaction,
    Unavailable, Watch, WatchClosed, WatchEvent,
};

/// How often what goes wrong, each a fraction from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultRates {
    /// A read, a list, or the beginning of a watch fails.
    pub reads: f64,
    /// A transaction fails before it happened.
    pub commits: f64,
    /// A transaction happens, and whoever made it is told that it failed.
    pub answers: f64,
    /// A watch is closed where its next event would be.
    pub watches: f64,
    /// A lease changes hands with a transaction.
    pub leases: f64,
    /// How long anything takes at most.
    pub delay: Duration,
}

impl FaultRates {
    /// Nothing goes wrong.
    pub const NONE: Self =
        Self { reads: 0.0, commits: 0.0, answers: 0.0, watches: 0.0, leases: 0.0, delay: Duration::ZERO };
}

impl Default for FaultRates {
    fn default() -> Self {
        Self {
            reads: 0.05,
            commits: 0.05,
            answers: 0.05,
            watches: 0.02,
            leases: 0.02,
            delay: Duration::from_millis(20),
        }
    }
}

/// A store over another that delays, fails and closes watches by chance. From one seed, in paused time, come
/// the same faults.
pub struct Faults<B> {
    store: B,
    leases: LocalLeases,
    state: Arc<Mutex<State>>,
}

struct State {
    random: Random,
    rates: FaultRates,
    names: Vec<LeaseName>,
}

impl State {
    fn happens(&mut self, rate: impl Fn(&FaultRates) -> f64) -> bool {
        let rate = rate(&self.rates);
        self.random.fraction() < rate
    }
}

impl<B: Backend> Faults<B> {
    /// A store that fails. `leases` are those by which it fences, which it lets change hands: those of
    /// [`Memory`](crate::storage::Memory::leases).
    pub fn new(store: B, leases: LocalLeases, rates: FaultRates, seed: u64) -> Self {
        let state = State { random: Random::from_seed(seed), rates, names: Vec::new() };
        Self { store, leases, state: Arc::new(Mutex::new(state)) }
    }

    /// The store below.
    pub fn store(&self) -> &B {
        &self.store
    }

    /// From now on this often.
    pub fn set_rates(&self, rates: FaultRates) {
        self.with(|state| state.rates = rates);
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn delay(&self) {
        let delay = self.with(|state| {
            let most = state.rates.delay;
            state.random.duration(Duration::ZERO, most)
        });
        if !delay.is_zero() {
            sleep(delay).await;
        }
    }

    async fn fail_read(&self) -> Result<(), Unavailable> {
        self.delay().await;
        if self.with(|state| state.happens(|rates| rates.reads)) {
            return Err(Unavailable::new("the store failed, as the test wants it"));
        }
        Ok(())
    }
}

#[async_trait]
impl<B: Backend> Backend for Faults<B> {
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError> {
        self.fail_read().await?;
        self.store.read(id, consistency).await
    }

    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.fail_read().await?;
        self.store.list(query, consistency).await
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        self.fail_read().await?;
        self.store.list_by_owner(owner).await
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        self.fail_read().await?;
        self.store.kinds().await
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        self.fail_read().await?;
        let events = self.store.watch(query).await?;
        Ok(Watch::new(Closing { events, state: Arc::clone(&self.state), closed: false }))
    }

    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        self.delay().await;
        let (fails, forgets, revokes) = self.with(|state| {
            let fails = state.happens(|rates| rates.commits);
            let forgets = state.happens(|rates| rates.answers);
            let revokes = state.happens(|rates| rates.leases);
            let name = state.random.below(state.names.len());
            (fails, forgets, revokes.then(|| state.names.get(name).cloned()).flatten())
        });
        if let Some(name) = revokes {
            self.leases.revoke(&name);
        }
        if fails {
            return Err(Unavailable::new("the store failed before the commit, as the test wants it").into());
        }
        let stored = self.store.commit(transaction).await?;
        self.delay().await;
        if forgets {
            return Err(Unavailable::new("the store failed after the commit, as the test wants it").into());
        }
        Ok(stored)
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        self.with(|state| {
            if !state.names.contains(name) {
                state.names.push(name.clone());
            }
        });
        self.store.lease(name)
    }
}

/// A watch that is closed by chance.
struct Closing {
    events: Watch,
    state: Arc<Mutex<State>>,
    closed: bool,
}

impl Stream for Closing {
    type Item = Result<WatchEvent, WatchClosed>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.closed {
            return Poll::Ready(None);
        }
        let next = ready!(Pin::new(&mut self.events).poll_next(cx));
        let closes = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.happens(|rates| rates.watches)
        };
        self.closed = closes;
        Poll::Ready(if closes { Some(Err(WatchClosed::Disconnected)) } else { next })
    }
}

/// Runs a simulation for each of so many seeds; when one fails, it says which seed that was. With the variable
/// `CONVERGE_SEED` it runs that one alone, to look at it.
///
/// ```
/// use converge_controller::testing::simulate;
///
/// simulate(3, |seed| async move {
///     assert!(seed < 3);
/// });
/// ```
///
/// # Panics
///
/// A simulation fails, or a runtime cannot be made.
pub fn simulate<F: Future<Output = ()>>(seeds: u64, simulation: impl Fn(u64) -> F) {
    let only = std::env::var("CONVERGE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = only.map_or(0..seeds, |seed: u64| seed..seed + 1);
    for seed in seeds {
        let named = Named(seed);
        // One thread, and paused time: what happens next depends on the seed alone.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(simulation(seed));
        std::mem::forget(named);
    }
}

/// Names the seed when a simulation fails.
struct Named(u64);

impl Drop for Named {
    #[expect(clippy::print_stderr, reason = "the output of a test that fails is shown")]
    fn drop(&mut self) {
        eprintln!("the simulation of seed {0} failed; CONVERGE_SEED={0} runs it alone", self.0);
    }
}
