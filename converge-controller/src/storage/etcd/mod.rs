//! A store in etcd.

mod changes;
mod client;
mod commit;
mod election;
mod failure;
mod keys;
mod options;
mod pages;
mod read;
mod version_cache;
mod wire;

pub use options::{EtcdOptions, EtcdTls};

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::identity::{Group, Id, Kind, Uid};
use crate::resource::Resource;

use super::backend::{Backend, Consistency};
use super::error::{CommitError, ReadError, Unavailable};
use super::key::Key;
use super::lease::{Lease, LeaseName, Vacancy};
use super::query::Query;
use super::transaction::Transaction;
use super::watch::{Watch, WatchClosed, WatchEvent};
use super::watch_hub::Subscription;
use changes::Changes;
use client::Client;
use commit::Commit;
use election::Candidate;
use failure::Kind as FailureKind;
use keys::{KeyRange, Keys};
use version_cache::{Known, Stored};
use wire::{Event, EventType, KeyValue};

/// A store in a cluster of etcd, version 3.4 or later, which many machines share.
///
/// It survives the loss of machines as long as more than half of the cluster members run and reach each
/// other. When a member fails, the next one is used. Watches then continue without gaps, and so do leases
/// that have not expired. Requests are repeated if that is safe. Transactions are not repeated: if the
/// outcome is unknown, the result is [`Unavailable`].
///
/// A watch detects that the store was restored from a backup: the revision is wrong, or the newest reported
/// change is missing. Some restores cannot be detected, such as one that only lost a deletion before the
/// watch began. Restart all programs after a restore.
///
/// An [eventual](Consistency::Eventual) read comes from one member without asking the others, unless
/// something newer is already known in this process.
///
/// The size of a transaction is limited by etcd (`--max-txn-ops`, 128): one operation for each change, and
/// one or two more for each that creates or moves an owned resource.
///
/// ```no_run
/// use converge_controller::storage::{Etcd, EtcdOptions};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Etcd::connect(EtcdOptions::new(["http://127.0.0.1:2379"])).await?;
/// # Ok(())
/// # }
/// ```
pub struct Etcd(Arc<Shared>);

struct Shared {
    client: Client,
    keys: Keys,
    known: Known,
    lease_time: Duration,
    /// The runtime that keeps watches and leases going.
    runtime: Handle,
}

impl Etcd {
    /// Connects to a cluster, and checks that it responds.
    ///
    /// # Errors
    ///
    /// Fails if the options are wrong, or if no member responds, accepts the login and has a quorum. The
    /// message names the member and gives advice.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub async fn connect(options: EtcdOptions) -> Result<Self, Unavailable> {
        let shared = Shared {
            client: Client::new(&options)?,
            keys: Keys::below(&options.prefix),
            known: Known::default(),
            lease_time: options.lease_time,
            runtime: Handle::current(),
        };
        shared.client.read(&shared.keys.all_owned(Uid::from_bits(0)), Consistency::Strong).await?;
        Ok(Self(Arc::new(shared)))
    }
}

impl std::fmt::Debug for Etcd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Etcd").field("keys", &self.0.keys).finish_non_exhaustive()
    }
}

impl Shared {
    /// Decodes a resource, and caches it for a later write.
    fn learn(&self, found: &KeyValue) -> Result<Arc<Resource>, Unavailable> {
        let resource = read::resource(found)?;
        let stored = Stored::new(&resource, found.create_revision, found.mod_revision);
        self.known.learn(Key::from_id(&resource.id), stored);
        Ok(resource)
    }

    /// Reports changes until the receiver is gone or the watch fails.
    async fn tell(
        &self,
        query: &Query,
        mut changes: Changes<'_>,
        events: &mpsc::Sender<(u64, WatchEvent)>,
    ) -> WatchClosed {
        loop {
            let answer = match changes.next().await {
                Ok(events) => events,
                Err(closed) => return closed,
            };
            for change in &answer {
                let event = match told(change, query) {
                    Ok(Some(event)) => event,
                    Ok(None) => continue,
                    Err(unavailable) => {
                        tracing::error!(error = %unavailable, "a watch of etcd ends");
                        return WatchClosed::Disconnected;
                    }
                };
                // The revision is recorded first: a reader that knows of the event must not read anything
                // older.
                let revision = change.kv.as_ref().map_or(0, |kv| kv.mod_revision);
                self.client.see(revision);
                if events.try_send((as_number(revision), event)).is_err() {
                    return WatchClosed::TooSlow;
                }
            }
        }
    }
}

#[async_trait]
impl Backend for Etcd {
    async fn read(&self, id: &Id, consistency: Consistency) -> Result<Arc<Resource>, ReadError> {
        let key = KeyRange::one(self.0.keys.resource(&Key::from_id(id)));
        let found = self.0.client.read(&key, consistency).await?.found;
        let stored = found.first().map(|found| self.0.learn(found)).transpose()?;
        let stored = stored.filter(|stored| id.uid.is_none_or(|uid| stored.id.uid == Some(uid)));
        match stored {
            None => Err(ReadError::NotFound { id: Box::new(id.clone()) }),
            Some(stored) if stored.id.resource_type != id.resource_type => {
                Err(ReadError::GroupVersionMismatch { requested: id.resource_type.clone(), stored })
            }
            Some(stored) => Ok(stored),
        }
    }

    async fn list(&self, query: &Query, consistency: Consistency) -> Result<Vec<Arc<Resource>>, Unavailable> {
        let snapshot = self.0.client.read(&self.0.keys.resources(query), consistency).await?;
        matching(&snapshot.found, query)
    }

    async fn list_by_owner(&self, owner: Uid) -> Result<Vec<Arc<Resource>>, Unavailable> {
        loop {
            let index = self.0.client.read(&self.0.keys.all_owned(owner), Consistency::Strong).await?;
            let keys = index.found.iter().filter_map(|entry| self.0.keys.resource_of(owner, &entry.key));
            let keys: Vec<Bytes> = keys.collect();
            match self.0.client.read_each(&keys, index.revision).await {
                Ok(found) => return found.iter().map(read::resource).collect(),
                // The revision was compacted meanwhile.
                Err(failure) if failure.kind == FailureKind::OtherRevision => {}
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    async fn kinds(&self) -> Result<Vec<(Group, Kind)>, Unavailable> {
        let (mut kinds, mut from) = (Vec::new(), String::new());
        while let Some(first) = self.0.client.first(&self.0.keys.resources_from(&from)).await?
            && let Some((group, kind, next)) = self.0.keys.key_of(&first.key).and_then(Key::kind_of)
        {
            kinds.push((group, kind));
            from = next;
        }
        Ok(kinds)
    }

    async fn watch(&self, query: &Query) -> Result<Watch, Unavailable> {
        let snapshot = self.0.client.read(&self.0.keys.resources(query), Consistency::Strong).await?;
        let resources = matching(&snapshot.found, query)?;
        let (events, live) = mpsc::channel(Watch::MOST_WAITING);
        let closed = Arc::new(OnceLock::new());
        let subscription = Subscription { live, closed: Arc::clone(&closed) };
        let watch = subscription.after(resources, as_number(snapshot.revision));
        let (shared, query) = (Arc::clone(&self.0), query.clone());
        let newest = read::newest(snapshot.found);
        self.0.runtime.spawn(async move {
            let changes = Changes::new(&shared.client, shared.keys.resources(&query), snapshot.revision + 1);
            tokio::select! {
                () = events.closed() => {}
                reason = shared.tell(&query, changes.after(newest), &events) => {
                    // The reason must be set before the channel is closed, because readers ask for it then.
                    let _ = closed.set(reason);
                }
            }
        });
        Ok(watch)
    }

    async fn commit(&self, transaction: Transaction) -> Result<Vec<Arc<Resource>>, CommitError> {
        transaction.check()?;
        let Shared { client, keys, known, .. } = &*self.0;
        Commit { client, keys, known, transaction: &transaction }.run().await
    }

    fn lease(&self, name: &LeaseName) -> Lease {
        let (told, held) = watch::channel(None);
        // The lease counts as vacant until it was checked.
        let (vacant, since) = watch::channel(Some(Instant::now()));
        let stop = CancellationToken::new();
        let lease = Lease::new(held, stop.clone().drop_guard()).with_vacancy(Vacancy::new(since));
        let (shared, name) = (Arc::clone(&self.0), name.clone());
        self.0.runtime.spawn(async move {
            let key = KeyRange::one(shared.keys.leader(&name));
            let (client, time) = (&shared.client, shared.lease_time);
            Candidate { client, name, key, time, told, vacant, stop }.run().await;
        });
        lease
    }
}

/// Converts an event, if the query matches its resource.
fn told(event: &Event, query: &Query) -> Result<Option<WatchEvent>, Unavailable> {
    let missing = || Unavailable::new("etcd reported a change without its data");
    let deleted = event.r#type == i32::from(EventType::Delete);
    let found = if deleted { &event.prev_kv } else { &event.kv };
    let resource = read::resource(found.as_ref().ok_or_else(missing)?)?;
    if !query.matches(&resource.id) {
        return Ok(None);
    }
    Ok(Some(if deleted { WatchEvent::Delete(resource) } else { WatchEvent::Upsert(resource) }))
}

/// Converts a revision, which is never negative.
fn as_number(revision: i64) -> u64 {
    u64::try_from(revision).unwrap_or_default()
}

/// Decodes the resources that the query matches.
fn matching(found: &[KeyValue], query: &Query) -> Result<Vec<Arc<Resource>>, Unavailable> {
    let resources = found.iter().map(read::resource);
    resources
        .filter(|resource| resource.as_ref().map_or(true, |resource| query.matches(&resource.id)))
        .collect()
}
