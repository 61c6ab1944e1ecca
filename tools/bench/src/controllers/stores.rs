//! The stores that are measured, and what is put into them.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use converge_controller::storage::{Backend, Change, Etcd, EtcdOptions, Memory, Query, Redb, Transaction};
use converge_controller::{Id, Resource, Scope, StoredResource, Typed, Uid};
use tempfile::TempDir;

use super::server::Server;
use crate::error::{BenchError, at};

/// Bytes of data of a resource.
pub(super) const SIZE: usize = 1_024;
/// What a stored resource has besides its data, about.
pub(super) const BESIDE_DATA: usize = 130;

/// What is stored.
#[derive(Clone, Debug, Default, PartialEq, StoredResource)]
#[stored(group = "bench", version = "v1", scope = namespace)]
pub(super) struct Entry {
    #[stored(tag = 1)]
    text: String,
}

/// A store.
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

/// Where stores are made.
pub(super) struct Stores {
    /// None where etcd is not installed.
    pub(super) etcd: Option<Server>,
    prefixes: AtomicUsize,
}

/// A store that is empty at first, and what it lives on.
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

    /// Those that there are here.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        let etcd = self.etcd.iter().map(|_| Kind::Etcd);
        [Kind::Memory, Kind::Redb].into_iter().chain(etcd).collect()
    }

    /// A prefix of keys in etcd that nobody else has.
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

/// A store on redb in a folder.
pub(super) async fn open(folder: &Path) -> Result<Redb, BenchError> {
    Redb::open(folder.join("resources.redb")).await.map_err(BenchError::store)
}

/// A resource of this number that says a kilobyte, with a uid.
pub(super) fn resource(number: usize) -> Result<Resource, BenchError> {
    let name = format!("entry-{number:07}").parse().map_err(BenchError::store)?;
    let id = Id::new(Entry::resource_type().clone(), Scope::Namespace.default_tenancy(), name);
    let uid = Uid::from_bits(number as u128 + 1);
    Ok(Typed::new(id.with_uid(uid), Entry { text: "7".repeat(SIZE) }).into_resource())
}

/// All resources.
pub(super) fn everything() -> Query {
    Query::new(Entry::resource_type(), Scope::Namespace.default_tenancy().into())
}

/// Puts so many resources into a store.
pub(super) async fn fill(store: &dyn Backend, resources: usize) -> Result<(), BenchError> {
    // Etcd allows no more than 128 changes in a transaction.
    const TOGETHER: usize = 120;
    for from in (0..resources).step_by(TOGETHER) {
        let put = |number| Ok(Change::Put(Box::new(resource(number)?)));
        let changes = (from..resources.min(from + TOGETHER)).map(put).collect::<Result<_, BenchError>>()?;
        store.commit(Transaction { changes, ..Transaction::default() }).await.map_err(BenchError::store)?;
    }
    Ok(())
}
