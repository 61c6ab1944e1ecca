//! Transactions.
//!
//! A transaction of etcd compares keys, and then runs one of two lists of operations. A transaction is sent
//! with the assumed state of each key it depends on. If the assumptions hold it happens, otherwise etcd
//! returns the actual state. From that state follows whether a requirement is violated, or only an assumption
//! was outdated. In the latter case the transaction is sent again.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use crate::identity::Uid;
use crate::resource::{Resource, Version};

use super::super::error::{CommitError, Unavailable};
use super::super::key::Key;
use super::super::record::Unversioned;
use super::super::transaction::{Change, RequirementState, Transaction};
use super::client::Client;
use super::keys::Keys;
use super::read;
use super::version_cache::{Known, Stored};
use super::wire::{
    Compare, DeleteRangeRequest, KeyValue, Method, PutRequest, RangeRequest, Request, RequestOp, TxnRequest,
    TxnResponse,
};

/// The maximum number of attempts, if all requirements hold but the keys keep changing.
const ATTEMPTS: usize = 32;

/// The assumed values of the keys that a transaction depends on; `None` if a key does not exist.
type Beliefs = BTreeMap<Key, Option<Stored>>;

/// A transaction in progress.
pub(super) struct Commit<'a> {
    pub(super) client: &'a Client,
    pub(super) keys: &'a Keys,
    pub(super) known: &'a Known,
    pub(super) transaction: &'a Transaction,
}

impl Commit<'_> {
    pub(super) async fn run(&self) -> Result<Vec<Arc<Resource>>, CommitError> {
        let mut beliefs = match self.cached_beliefs() {
            Some(beliefs) => beliefs,
            None => self.read_beliefs().await?,
        };
        for _ in 0..ATTEMPTS {
            let request = TxnRequest {
                compare: self.compares(&beliefs),
                success: self.operations(&beliefs),
                failure: self.questions(),
            };
            // A transaction without changes can safely be repeated.
            let method = if self.transaction.changes.is_empty() { Method::LOOK } else { Method::TXN };
            let answer: TxnResponse = self.client.call(method, request).await.map_err(Unavailable::from)?;
            let revision = answer.header.as_ref().map_or(0, |header| header.revision);
            if answer.succeeded {
                self.client.see(revision);
                return Ok(self.done(&beliefs, revision));
            }
            beliefs = self.answered(answer)?;
        }
        let contended = self.transaction.requirements.first().map(|requirement| &requirement.id);
        let id = contended.or(self.transaction.changes.first().map(Change::id));
        Err(id.map_or_else(
            || CommitError::Unavailable(Unavailable::new("etcd refuses a transaction that asks for nothing")),
            |id| CommitError::Conflict { id: Box::new(id.clone()) },
        ))
    }

    /// Returns the cached state, if it allows the transaction.
    fn cached_beliefs(&self) -> Option<Beliefs> {
        let mut beliefs = Beliefs::new();
        for requirement in &self.transaction.requirements {
            let key = Key::from_id(&requirement.id);
            let known_state = self.known.get(&key)?;
            requirement.check(Some(&known_state.resource)).ok()?;
            beliefs.insert(key, Some(known_state));
        }
        for change in &self.transaction.changes {
            let key = Key::from_id(change.id());
            let known_state = match change {
                Change::Put(resource) if resource.version.is_none() => None,
                Change::Put(_) | Change::Delete { .. } => Some(self.known.get(&key)?),
            };
            change.check(known_state.as_ref().map(|known_state| &*known_state.resource)).ok()?;
            beliefs.insert(key, known_state);
        }
        Some(beliefs)
    }

    /// Reads the actual state.
    async fn read_beliefs(&self) -> Result<Beliefs, CommitError> {
        let request = TxnRequest { success: self.questions(), ..TxnRequest::default() };
        let answer = self.client.call(Method::LOOK, request).await;
        self.answered(answer.map_err(Unavailable::from)?)
    }

    /// Returns reads of the keys that the transaction depends on.
    ///
    /// Their order is that of [`answered`](Self::answered).
    fn questions(&self) -> Vec<RequestOp> {
        let leader = self.transaction.fence.iter().map(|fence| self.keys.leader(&fence.lease));
        let resources = self.dependencies().into_iter().map(|key| self.keys.resource(&key));
        let range = |key| RequestOp::from(Request::Range(RangeRequest { key, ..RangeRequest::default() }));
        leader.chain(resources).map(range).collect()
    }

    fn dependencies(&self) -> Vec<Key> {
        let required = self.transaction.requirements.iter().map(|requirement| &requirement.id);
        let mut keys: Vec<_> =
            required.chain(self.transaction.changes.iter().map(Change::id)).map(Key::from_id).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Parses the actual state, or returns the requirement that it violates.
    fn answered(&self, answer: TxnResponse) -> Result<Beliefs, CommitError> {
        self.client.see(answer.header.as_ref().map_or(0, |header| header.revision));
        let mut ranges = answer.ranges();
        if let Some(fence) = &self.transaction.fence {
            let leader = ranges.next().unwrap_or_default();
            let token = leader.first().and_then(|leader| u64::try_from(leader.create_revision).ok());
            if token != Some(fence.token) {
                return Err(CommitError::Fenced { fence: fence.clone() });
            }
        }
        let mut beliefs = Beliefs::new();
        for (key, kvs) in self.dependencies().into_iter().zip(ranges) {
            let stored = kvs.first().map(stored).transpose()?;
            match &stored {
                Some(stored) => self.known.learn(key.clone(), stored.clone()),
                None => self.known.forget(&key),
            }
            beliefs.insert(key, stored);
        }
        for requirement in &self.transaction.requirements {
            requirement.check(resource_of(&beliefs, &Key::from_id(&requirement.id)))?;
        }
        for change in &self.transaction.changes {
            change.check(resource_of(&beliefs, &Key::from_id(change.id())))?;
        }
        Ok(beliefs)
    }

    /// Returns the comparisons that confirm the assumed state.
    fn compares(&self, beliefs: &Beliefs) -> Vec<Compare> {
        let fence = self.transaction.fence.iter().map(|fence| {
            // A token that does not fit is above every revision.
            let token = i64::try_from(fence.token).unwrap_or(i64::MAX);
            Compare::created(self.keys.leader(&fence.lease), token)
        });
        let required = self.transaction.requirements.iter().filter_map(|requirement| {
            let key = Key::from_id(&requirement.id);
            let stored = beliefs.get(&key)?.as_ref()?;
            Some(match requirement.state {
                // A resource keeps its uid from its creation to its deletion.
                RequirementState::Present => {
                    Compare::created(self.keys.resource(&key), stored.create_revision)
                }
                RequirementState::NotMarkedForDeletion => {
                    Compare::modified(self.keys.resource(&key), stored.mod_revision)
                }
            })
        });
        let changed = self.transaction.changes.iter().map(|change| {
            let key = Key::from_id(change.id());
            let revision = beliefs.get(&key).and_then(Option::as_ref).map_or(0, |stored| stored.mod_revision);
            Compare::modified(self.keys.resource(&key), revision)
        });
        fence.chain(required).chain(changed).collect()
    }

    /// Returns the operations of the transaction.
    fn operations(&self, beliefs: &Beliefs) -> Vec<RequestOp> {
        let mut operations = Vec::new();
        let put_request = |key, value| Request::Put(PutRequest { key, value, lease: 0 });
        let delete = |key| Request::DeleteRange(DeleteRangeRequest { key });
        for change in &self.transaction.changes {
            let key = Key::from_id(change.id());
            let owner_before = resource_of(beliefs, &key).and_then(owner);
            let (operation, owner_after) = match change {
                Change::Put(resource) => {
                    (put_request(self.keys.resource(&key), value(resource)), owner(resource))
                }
                Change::Delete { .. } => (delete(self.keys.resource(&key)), None),
            };
            operations.push(operation);
            if owner_before != owner_after {
                operations.extend(owner_before.map(|owner| delete(self.keys.owned(owner, &key))));
                operations
                    .extend(owner_after.map(|owner| put_request(self.keys.owned(owner, &key), Bytes::new())));
            }
        }
        operations.into_iter().map(RequestOp::from).collect()
    }

    /// Returns the stored resources after the commit.
    fn done(&self, beliefs: &Beliefs, revision: i64) -> Vec<Arc<Resource>> {
        let version = Version::from(u64::try_from(revision).unwrap_or_default());
        let mut resources = Vec::new();
        for change in &self.transaction.changes {
            let key = Key::from_id(change.id());
            match change {
                Change::Put(resource) => {
                    let resource = Resource { version: Some(version.clone()), ..(**resource).clone() };
                    let before = beliefs.get(&key).and_then(Option::as_ref);
                    let created = before.map_or(revision, |before| before.create_revision);
                    self.known.learn(key, Stored::new(&resource, created, revision));
                    resources.push(Arc::new(resource));
                }
                Change::Delete { .. } => self.known.forget(&key),
            }
        }
        resources
    }
}

/// Encodes a resource for the store. Its version is the revision of the key, which is not known yet.
fn value(resource: &Resource) -> Bytes {
    Unversioned::encode(resource).into_bytes().into()
}

fn resource_of<'a>(beliefs: &'a Beliefs, key: &Key) -> Option<&'a Resource> {
    let stored = beliefs.get(key)?.as_ref();
    stored.map(|stored| &*stored.resource)
}

fn owner(resource: &Resource) -> Option<Uid> {
    resource.owner.as_ref().and_then(|owner| owner.uid)
}

/// Decodes a key and value as the cached form.
pub(super) fn stored(kv: &KeyValue) -> Result<Stored, Unavailable> {
    Ok(Stored::new(&*read::resource(kv)?, kv.create_revision, kv.mod_revision))
}
