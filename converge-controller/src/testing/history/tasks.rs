//! Tasks with random operations.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::timeout;

use super::event::{Commit, Look, Made, Outcome, Target, Watched, WatchedEvent};
use super::recorder::{History, Recorder, marked, query, resource_type, state};
use crate::clock::Random;
use crate::identity::{Id, Tenancy, Uid};
use crate::resource::Resource;
use crate::storage::{
    Backend, Change, CommitError, Consistency, Key, Query, ReadError, RequirementState, Transaction, Watch,
    WatchEvent,
};
use crate::testing::StoreUnderTest;

/// The timeout of an expected event of a watch.
const PATIENCE: Duration = Duration::from_mins(1);
const TENANCIES: [(&str, &str); 3] = [("default", "default"), ("default", "other"), ("eu", "default")];
const PREFIXES: [&str; 2] = ["a", "b"];
const NAMES: [&str; 4] = ["a-0", "a-1", "b-0", "b-1"];
/// The queries of the watches.
const QUERIES: [(&str, &str, &str); 6] = [
    ("*", "*", ""),
    ("default", "*", ""),
    ("*", "default", ""),
    ("default", "other", ""),
    ("*", "*", "a"),
    ("eu", "default", "b"),
];

/// The size of a workload.
///
/// The same seed gives the same requests; the order in which they reach the store varies.
#[derive(Clone, Copy, Debug)]
pub struct Workload {
    /// The seed of random numbers.
    pub seed: u64,
    /// The number of tasks that write and delete.
    pub writers: usize,
    /// The number of tasks that read and list.
    pub readers: usize,
    /// The number of tasks that watch, several times each.
    pub watchers: usize,
    /// The number of operations of each writer and reader.
    pub operations: usize,
}

impl Workload {
    /// Creates a workload that takes about a second on a store in memory.
    pub fn from_seed(seed: u64) -> Self {
        Self { seed, writers: 4, readers: 3, watchers: 4, operations: 250 }
    }
}

/// Runs random operations on a store, and records the results.
///
/// # Panics
///
/// Panics if the store cannot be watched or read.
pub async fn record(store: &StoreUnderTest, workload: &Workload) -> History {
    let recorder = Arc::new(Recorder::default());
    let mut random = Random::from_seed(workload.seed);
    let witness = Observer::new(store, &recorder, 0, query("*", "*", ""));
    let events = witness.begin().await;
    let witness = tokio::spawn(witness.follow(events, Random::from_seed(0)));

    let mut busy = JoinSet::new();
    for writer in 0..workload.writers {
        let actor = Actor::new(store, &recorder, writer, random.fork());
        busy.spawn(actor.write(workload.operations));
    }
    for reader in 0..workload.readers {
        let actor = Actor::new(store, &recorder, reader, random.fork());
        busy.spawn(actor.read(workload.operations));
    }
    let mut watching = JoinSet::new();
    for number in 0..workload.watchers * QUERIES.len() {
        let (partition, namespace, prefix) = QUERIES[number % QUERIES.len()];
        let observer = Observer::new(store, &recorder, number, query(partition, namespace, prefix));
        let (mut random, recorder) = (random.fork(), Arc::clone(&recorder));
        watching.spawn(async move {
            // The delay makes watches begin at various times.
            for _ in 0..random.below(200) {
                tokio::task::yield_now().await;
            }
            let events = observer.begin().await;
            let watched = observer.follow(events, random).await;
            recorder.note(|history| history.watches.push(watched));
        });
    }
    while let Some(ended) = busy.join_next().await {
        ended.expect("a task that ends");
    }
    let mut last = Actor::new(store, &recorder, 0, random.fork());
    for id in last_ids() {
        last.create(id).await;
    }
    while let Some(ended) = watching.join_next().await {
        ended.expect("a watch that ends");
    }
    // All operations have ended, so this is the final state.
    last.list(query("*", "*", ""), Consistency::Strong).await;
    let witness = witness.await.expect("a watch that ends");
    recorder.note(|history| history.witness = Some(witness));
    recorder.finish()
}

fn id((partition, namespace): (&str, &str), name: &str) -> Id {
    let tenancy = Tenancy::from_units(partition, namespace).expect("a tenancy");
    Id::new(resource_type(), tenancy, name.parse().expect("a name"))
}

/// Returns the resources that are written last.
///
/// A watch that reported its matching ones has reported everything.
fn last_ids() -> impl Iterator<Item = Id> {
    let ids_in = |tenancy| PREFIXES.map(|prefix| id(tenancy, &format!("{prefix}-last")));
    TENANCIES.into_iter().flat_map(ids_in)
}

/// A task that writes or reads.
struct Actor {
    door: usize,
    store: Arc<dyn Backend>,
    recorder: Arc<Recorder>,
    random: Random,
    /// The states that the task saw last, which may be outdated.
    known: BTreeMap<Id, Arc<Resource>>,
}

impl Actor {
    fn new(store: &StoreUnderTest, recorder: &Arc<Recorder>, number: usize, random: Random) -> Self {
        let door = number % store.doors().len();
        let (store, recorder) = (Arc::clone(store.door(door)), Arc::clone(recorder));
        Self { door, store, recorder, random, known: BTreeMap::new() }
    }

    fn id(&mut self) -> Id {
        let tenancy = TENANCIES[self.random.below(TENANCIES.len())];
        id(tenancy, NAMES[self.random.below(NAMES.len())])
    }

    async fn write(mut self, operations: usize) {
        for _ in 0..operations {
            let (first, second) = (self.id(), self.id());
            // Usually the task reads first; otherwise its state is outdated or missing.
            if self.random.below(4) > 0 {
                self.look(first.clone(), Consistency::Strong).await;
            }
            let mut ids = vec![first];
            if self.random.below(3) == 0 && !ids.contains(&second) {
                self.look(second.clone(), Consistency::Eventual).await;
                ids.push(second);
            }
            let changes = ids.iter().map(|id| self.change(id)).collect();
            let required = (self.random.below(5) == 0).then(|| self.id()).filter(|id| !ids.contains(id));
            self.commit(changes, required).await;
        }
    }

    async fn read(mut self, operations: usize) {
        for _ in 0..operations {
            let consistency =
                if self.random.below(2) == 0 { Consistency::Strong } else { Consistency::Eventual };
            if self.random.below(8) == 0 {
                let (partition, namespace, prefix) = QUERIES[self.random.below(QUERIES.len())];
                self.list(query(partition, namespace, prefix), consistency).await;
            } else {
                let id = self.id();
                self.look(id, consistency).await;
            }
            tokio::task::yield_now().await;
        }
    }

    async fn create(&mut self, id: Id) {
        let change = self.put(&id, None);
        self.commit(vec![change], None).await;
    }

    /// Returns a put or a delete of the known state.
    fn change(&mut self, id: &Id) -> (Change, Made) {
        match self.known.get(id).cloned() {
            Some(stored) if self.random.below(4) == 0 => {
                let version = stored.version.clone().expect("what is stored has a version");
                let base = Some(state(&stored).mark);
                let record = Made { key: Key::from_id(id), base, mark: None };
                (Change::Delete { id: stored.id.clone(), version }, record)
            }
            known => self.put(id, known),
        }
    }

    fn put(&mut self, id: &Id, stored: Option<Arc<Resource>>) -> (Change, Made) {
        let mark = self.recorder.mark();
        let record = Made {
            key: Key::from_id(id),
            base: stored.as_ref().map(|stored| state(stored).mark),
            mark: Some(mark),
        };
        let resource = match stored {
            Some(stored) => Resource { version: stored.version.clone(), ..marked(&stored.id, mark) },
            None => marked(&id.clone().with_uid(Uid::from_bits(self.random.bits())), mark),
        };
        (Change::Put(Box::new(resource)), record)
    }

    async fn commit(&mut self, changes: Vec<(Change, Made)>, required: Option<Id>) {
        let (changes, records): (Vec<_>, Vec<_>) = changes.into_iter().unzip();
        let ids: Vec<_> = changes.iter().map(|change| change.id().clone().without_uid()).collect();
        let mut transaction = Transaction { changes, ..Transaction::default() };
        if let Some(id) = &required {
            transaction = transaction.require(id.clone(), RequirementState::Present);
        }
        let began = self.recorder.moment();
        let result = self.store.commit(transaction).await;
        let ended = self.recorder.moment();
        for id in ids {
            self.known.remove(&id);
        }
        let stored: Vec<_> = result.iter().flatten().map(|resource| state(resource)).collect();
        let (outcome, ended) = match result {
            Ok(resources) => {
                self.known.extend(
                    resources.into_iter().map(|resource| (resource.id.clone().without_uid(), resource)),
                );
                (Outcome::Done, ended)
            }
            // The transaction may still happen at any time.
            Err(CommitError::Unavailable(_)) => (Outcome::Unknown, u64::MAX),
            Err(_) => (Outcome::Refused, ended),
        };
        let required = required.iter().map(Key::from_id).collect();
        self.recorder.note(|history| {
            history.commits.push(Commit { changes: records, required, outcome, stored, began, ended });
        });
    }

    async fn look(&mut self, id: Id, consistency: Consistency) {
        let began = self.recorder.moment();
        let read = self.store.read(&id, consistency).await;
        let ended = self.recorder.moment();
        let result = match read {
            Ok(resource) => Some(resource),
            Err(ReadError::NotFound { .. }) => None,
            // A failed read has no result.
            Err(ReadError::Unavailable(_)) => return,
            Err(error) => panic!("{error}"),
        };
        let observation = Look {
            door: self.door,
            strong: consistency == Consistency::Strong,
            at: Target::One(Key::from_id(&id)),
            found: result.iter().map(|resource| state(resource)).collect(),
            began,
            ended,
        };
        self.recorder.note(|history| history.looks.push(observation));
        match result {
            Some(resource) => self.known.insert(id, resource),
            None => self.known.remove(&id),
        };
    }

    async fn list(&mut self, query: Query, consistency: Consistency) {
        let began = self.recorder.moment();
        let Ok(listed) = self.store.list(&query, consistency).await else { return };
        let ended = self.recorder.moment();
        let observation = Look {
            door: self.door,
            strong: consistency == Consistency::Strong,
            at: Target::All(query),
            found: listed.iter().map(|resource| state(resource)).collect(),
            began,
            ended,
        };
        self.recorder.note(|history| history.looks.push(observation));
    }
}

/// A task that watches.
struct Observer {
    actor: Actor,
    query: Query,
    /// The keys that are still awaited before the end.
    left: Vec<Key>,
}

impl Observer {
    fn new(store: &StoreUnderTest, recorder: &Arc<Recorder>, number: usize, query: Query) -> Self {
        let actor = Actor::new(store, recorder, number, Random::from_seed(number as u64));
        let left = last_ids().filter(|id| query.matches(id)).map(|id| Key::from_id(&id)).collect();
        Self { actor, query, left }
    }

    async fn begin(&self) -> Watch {
        self.actor.store.watch(&self.query).await.expect("a watch")
    }

    /// Records events up to the end, and sometimes reads a reported resource.
    async fn follow(mut self, mut events: Watch, mut random: Random) -> Watched {
        let mut observations = Vec::new();
        let (mut in_snapshot, mut is_closed) = (true, false);
        while in_snapshot || !self.left.is_empty() {
            // A missing event is a gap at the end.
            let Ok(next) = timeout(PATIENCE, events.next()).await else { break };
            let Ok(event) = next else {
                is_closed = true;
                break;
            };
            let moment = self.actor.recorder.moment();
            match event {
                WatchEvent::Upsert(resource) => {
                    let state = state(&resource);
                    self.left.retain(|last| *last != state.key);
                    observations.push((WatchedEvent::Upsert(state), moment));
                    if random.below(8) == 1 {
                        self.actor.look(resource.id.clone().without_uid(), Consistency::Eventual).await;
                    }
                }
                WatchEvent::Delete(resource) => {
                    observations.push((WatchedEvent::Delete(state(&resource)), moment));
                }
                WatchEvent::EndOfSnapshot => {
                    in_snapshot = false;
                    observations.push((WatchedEvent::EndOfSnapshot, moment));
                }
            }
        }
        Watched { door: self.actor.door, query: self.query, told: observations, closed: is_closed }
    }
}
