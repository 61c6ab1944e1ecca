//! The measured stores and their test resources.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use converge_controller::storage::{Backend, Change, Etcd, EtcdOptions, Memory, Query, Redb, Transaction};
use converge_controller::{Id, Resource, Scope, StoredResource, Typed, Uid};
use tempfile::TempDir;

use super::server::Server;
use crate::error::{BenchError, at};

/// The size of a resource's data in bytes.
pub(super) const SIZE: usize = 1_024;
/// The approximate size in bytes of a stored resource without its data.
pub(super) const BESIDE_DATA: usize = 130;

/// The data of the stored type.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "bench", version = "v1", scope = namespace)]
pub(super) struct Entry {
    #[stored(tag = 1)]
    text: String,
}

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    Memory,
    Redb,
    Etcd,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Redb => "redb",
            Self::Etcd => "etcd",
        }
    }
}

/// The environment in which stores are created.
pub(super) struct Stores {
    /// The etcd server, or `None` if etcd is not installed.
    pub(super) etcd: Option<Server>,
    prefixes: AtomicUsize,
}

/// A store that starts empty, with the folder or server that it needs.
pub(super) struct Opened {
    pub(super) store: Arc<dyn Backend>,
    _folder: TempDir,
}

impl Deref for Opened {
    type Target = Arc<dyn Backend>;

    fn deref(&self) -> &Self::Target {
        &self.store
    }
}

impl Stores {
    pub(super) fn start() -> Result<Self, BenchError> {
        Ok(Self { etcd: Server::start()?, prefixes: AtomicUsize::new(0) })
    }

    /// Returns the kinds that are available on this machine.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let etcd = self.etcd.iter().map(|_| Kind::Etcd);
        [Kind::Memory, Kind::Redb].into_iter().chain(etcd).collect()
    }

    /// Returns a unique prefix of etcd keys.
    pub(super) fn prefix(&self) -> String {
        format!("/bench-{:05}", self.prefixes.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) async fn open(&self, kind: Kind) -> Result<Opened, BenchError> {
        let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
        let store: Arc<dyn Backend> = match (kind, &self.etcd) {
            (Kind::Memory, _) => Arc::new(Memory::new()),
            (Kind::Redb, _) => Arc::new(open(folder.path()).await?),
            (Kind::Etcd, Some(etcd)) => {
                let options = EtcdOptions::new([etcd.address.clone()]).prefix(self.prefix());
                Arc::new(Etcd::connect(options).await.map_err(BenchError::store)?)
            }
            (Kind::Etcd, None) => return Err(BenchError::store("etcd is not installed")),
        };
        Ok(Opened { store, _folder: folder })
    }
}

pub(super) async fn open(folder: &Path) -> Result<Redb, BenchError> {
    Redb::open(folder.join("resources.redb")).await.map_err(BenchError::store)
}

/// Creates a resource with this number, a uid and a kilobyte of data.
pub(super) fn resource(number: usize) -> Result<Resource, BenchError> {
    let name = format!("entry-{number:07}").parse().map_err(BenchError::store)?;
    let id = Id::new(Entry::resource_type().clone(), Scope::Namespace.default_tenancy(), name);
    let uid = Uid::from_bits(number as u128 + 1);
    Ok(Typed::new(id.with_uid(uid), Entry { text: "7".repeat(SIZE) }).into_resource())
}

/// Returns a query that matches all resources.
pub(super) fn everything() -> Query {
    Query::new(Entry::resource_type(), Scope::Namespace.default_tenancy().into())
}

/// Puts a number of resources into the store.
pub(super) async fn fill(store: &dyn Backend, resources: usize) -> Result<(), BenchError> {
    // etcd allows at most 128 changes in a transaction.
    const TOGETHER: usize = 120;
    for from in (0..resources).step_by(TOGETHER) {
        let put_change = |number| Ok(Change::Put(Box::new(resource(number)?)));
        let changes =
            (from..resources.min(from + TOGETHER)).map(put_change).collect::<Result<_, BenchError>>()?;
        store.commit(Transaction { changes, ..Transaction::default() }).await.map_err(BenchError::store)?;
    }
    Ok(())
}
