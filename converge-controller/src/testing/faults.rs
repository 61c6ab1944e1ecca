//! A store with random faults, and simulations.

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

/// The rates of faults, each a fraction from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultRates {
    /// The rate of failing reads, lists, and begins of watches.
    pub reads: f64,
    /// The rate of transactions that fail without effect.
    pub commits: f64,
    /// The rate of transactions that happen but report a failure.
    pub answers: f64,
    /// The rate of events in whose place the watch is closed.
    pub watches: f64,
    /// The rate of transactions during which a lease changes its holder.
    pub leases: f64,
    /// The maximum delay of an operation.
    pub delay: Duration,
}

impl FaultRates {
    /// The rates without any faults.
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

/// A wrapper of a store with random delays, failures and closed watches.
///
/// In paused time, the same seed produces the same faults.
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
    /// Wraps a store.
    ///
    /// `leases` are the leases of the store, such as those of [`Memory`](crate::storage::Memory::leases);
    /// their holders change at random.
    pub fn new(store: B, leases: LocalLeases, rates: FaultRates, seed: u64) -> Self {
        let state = State { random: Random::from_seed(seed), rates, names: Vec::new() };
        Self { store, leases, state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the wrapped store.
    pub fn store(&self) -> &B {
        &self.store
    }

    /// Sets the rates from now on.
    pub fn set_rates(&self, rates: FaultRates) {
        self.with(|state| state.rates = rates);
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn delay(&self) {
        let delay = self.with(|state| {
            let maximum = state.rates.delay;
            state.random.duration(Duration::ZERO, maximum)
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

/// A watch that is closed at random.
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

/// Runs a simulation for each of this number of seeds, and prints the seed of a failure.
///
/// The environment variable `CONVERGE_SEED` selects a single seed to run, for debugging.
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
/// Panics if a simulation fails, or if a runtime cannot be created.
pub fn simulate<F: Future<Output = ()>>(seeds: u64, simulation: impl Fn(u64) -> F) {
    let single_seed = std::env::var("CONVERGE_SEED").ok().and_then(|seed| seed.parse().ok());
    let seeds = single_seed.map_or(0..seeds, |seed: u64| seed..seed + 1);
    for seed in seeds {
        let seed_name = Named(seed);
        // With one thread and paused time, the order of events depends only on the seed.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(simulation(seed));
        std::mem::forget(seed_name);
    }
}

/// Prints the seed when a simulation fails.
struct Named(u64);

impl Drop for Named {
    #[expect(clippy::print_stderr, reason = "the output of a test that fails is shown")]
    fn drop(&mut self) {
        eprintln!("the simulation of seed {0} failed; CONVERGE_SEED={0} runs it alone", self.0);
    }
}
