//! A store in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::{Resource, Version};

use super::backend::{Backend, Consistency};
use super::error::{CommitError, ReadError, Unavailable};
use super::key::Key;
use super::lease::{Lease, LeaseName, LocalLeases};
use super::query::Query;
use super::transaction::{Change, Transaction};
use super::watch::{Watch, WatchClosed, WatchEvent};
use super::watch_hub::Hub;

/// A store in memory, for tests and experiments.
///
/// ```
/// use converge_controller::storage::{Backend as _, Consistency, Memory};
/// use converge_controller::{Id, Resource, Scope};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Memory::new();
/// let id = Id::new("demo.v2.Artist".parse()?, Scope::Namespace.default_tenancy(), "korn".parse()?);
/// let stored = store.write(Resource::new(id.clone().with_uid("01ARZ3NDEKTSV4RRFFQ69G5FAV".parse()?))).await?;
/// assert_eq!(store.read(&id, Consistency::Strong).await?, stored);
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct Memory {
    state: Mutex<State>,
    leases: LocalLeases,
}

#[derive(Default)]
struct State {
    resources: BTreeMap<Key, Arc<Resource>>,
    owned: HashMap<Uid, BTreeSet<Key>>,
    /// The number of transactions, which is the version of the resources that the last one put.
    revision: u64,
    hub: Hub,
}

impl Memory {
    /// Creates an empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns all resources, sorted by key.
    pub fn snapshot(&self) -> Vec<Arc<Resource>> {
        self.state().resources.values().map(Arc::clone).collect()
    }

    /// Replaces all resources, and ends all watches.
    pub fn restore(&self, resources: impl IntoIterator<Item = Arc<Resource>>) {
        let mut state = self.state();
        // An earlier version must not be reused: it would look as if nothing had changed.
        state.revision += 1;
        state.resources.clear();
        state.owned.clear();
        for resource in resources {
            state.insert(resource);
        }
        state.hub.close(WatchClosed::Restored);
    }

    /// Returns the leases of the store.
    pub fn leases(&self) -> &LocalLeases {
        &self.leases
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is fine: nothing panics in the middle of a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn insert(&mut self, resource: Arc<Resource>) {
        let key = Key::from_id(&resource.id);
        if let Some(owner) = resource.owner.as_ref().and_then(|owner| owner.uid) {
            self.owned.entry(owner).or_default().insert(key.clone());
        }
        self.resources.insert(key, resource);
    }

    fn remove(&mut self, key: &Key) -> Option<Arc<Resource>> {
        let removed = self.resources.remove(key)?;
        if let Some(owner) = removed.owner.as_ref().and_then(|owner| owner.uid)
            && let Some(owned) = self.owned.get_mut(&owner)
        {
            owned.remove(key);
            if owned.is_empty() {
                self.owned.remove(&owner);
            }
        }
        Some(removed)
    }

    fn matching<'a>(&'a self, query: &'a Query) -> impl Iterator<Item = &'a Arc<Resource>> {
        let prefix = query.key_prefix();
        let from = (Bound::Included(prefix.as_str()), Bound::Unbounded);
        let range = self.resources.range::<str, _>(from);
        let of_prefix = range.take_while(move |(key, _)| key.as_str().starts_with(&prefix));
        of_prefix.filter(|(key, _)| query.matches_key(key.as_str())).map(|(_, resource)| resource)
    }

    fn stored(&self, id: &Id) -> Option<&Resource> {
        self.resources.get(Key::from_id(id).as_str()).map(Arc::as_ref)
    }

    /// Makes a change that was checked, and publishes it.
    fn make(&mut self, change: Change, version: &Version) -> Option<Arc<Resource>> {
        match change {
            Change::Put(resource) => {
                let resource = Arc::new(Resource { version: Some(version.clone()), ..*resource });
                self.remove(&Key::from_id(&resource.id));
                self.insert(Arc::clone(&resource));
                self.hub.publish(self.revision, &resource.id, &WatchEvent::Upsert(Arc::clone(&resource)));
                Some(resource)
            }
            Change::Delete { id, .. } => {
                if let Some(removed) = self.remove(&Key::from_id(&id)) {
                    self.hub.publish(self.revision, &id, &WatchEvent::Delete(removed));
                }
                None
            }
        }
    }
}

#[async_trait]
impl Backend for Memory {
    async fn read(&self, id: &Id, _: Consistency) -> Result<Arc<Resource>, ReadError> {
        let state = self.state();
        let stored = state.resources.get(Key::from_id(id).as_str());
        let stored = stored.filter(|stored| id.uid.is_none_or(|uid| stored.id.uid == Some(uid)));
        match stored {
            None => Err(ReadError::NotFound { id: Box::new(id.clone()) }),
            Some(stored) if stored.id.resource_type != id.resource_type => {
                let (requested, stored) = (id.resource_type.clone(), Arc::clone(stored));
                Err(ReadError::GroupVersionMismatch { requested, stored })
            }
            Some(stored) => Ok(Arc::clone(stored)),
        }
    }

    async fn list(&self, query: &Query, _: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        Ok(self.state().matching(query).map(Arc::clone).collect())
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        let state = self.state();
        let keys = state.owned.get(&owner).into_iter().flatten();
        Ok(keys.filter_map(|key| state.resources.get(key)).map(Arc::clone).collect())
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        let state = self.state();
        let (mut kinds, mut from) = (Vec::new(), String::new());
        let first = |from: &str| {
            let range = (Bound::Included(from), Bound::Unbounded);
            state.resources.range::<str, _>(range).next().map(|(key, _)| key)
        };
        while let Some(key) = first(&from)
            && let Some((group, kind, next)) = Key::kind_of(key.as_str())
        {
            kinds.push((group, kind));
            from = next;
        }
        Ok(kinds)
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        let mut state = self.state();
        let snapshot = state.matching(query).map(Arc::clone).collect();
        Ok(state.hub.subscribe(query).after(snapshot, state.revision))
    }

    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        // Nothing here waits: without this call a task that writes in a loop would starve the watches.
        tokio::task::coop::consume_budget().await;
        transaction.check()?;
        let mut state = self.state();
        if let Some(fence) = transaction.fence.filter(|fence| !self.leases.is_held(fence)) {
            return Err(CommitError::Fenced { fence });
        }
        for requirement in transaction.requirements {
            requirement.check(state.stored(&requirement.id))?;
        }
        for change in &transaction.changes {
            change.check(state.stored(change.id()))?;
        }
        state.revision += 1;
        let version = Version::from(state.revision);
        let stored = transaction.changes.into_iter().filter_map(|change| state.make(change, &version));
        Ok(stored.collect())
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        self.leases.stand(name)
    }
}
