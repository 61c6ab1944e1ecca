//! Where resources are kept.

use std::path::PathBuf;
use std::sync::Arc;

use converge_controller::storage::{Backend, Etcd, EtcdOptions, Memory, OpenError, Redb, Unavailable};

/// What the file of a store is called in the folder of a server.
const FILE: &str = "resources.redb";

/// Where a server keeps its resources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Store {
    /// In memory: they are gone when it stops.
    Memory,
    /// In a folder, for one server at a time. It is made when it is not there.
    Folder(PathBuf),
    /// In etcd, for any number of servers, which share the work of the controllers.
    Etcd(Box<EtcdOptions>),
}

/// A store cannot be opened.
#[derive(Debug)]
pub(crate) enum StoreError {
    /// Its file is in use by another process, cannot be read or written, or is of another kind.
    File(OpenError),
    /// No member of etcd answers, or lets us in.
    Etcd(Unavailable),
}

impl Store {
    /// In etcd, which is reached so.
    pub fn etcd(options: EtcdOptions) -> Self {
        Self::Etcd(Box::new(options))
    }

    /// The file that resources are kept in, where they are in a folder.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder.join(FILE)),
            Self::Memory | Self::Etcd(_) => None,
        }
    }

    /// Opens it.
    ///
    /// # Errors
    ///
    /// As the variants of [`StoreError`] say.
    pub(crate) async fn open(self) -> Result<Arc<dyn Backend>, StoreError> {
        Ok(match self {
            Self::Memory => Arc::new(Memory::new()),
            Self::Folder(folder) => Arc::new(Redb::open(folder.join(FILE)).await.map_err(StoreError::File)?),
            Self::Etcd(options) => Arc::new(Etcd::connect(*options).await.map_err(StoreError::Etcd)?),
        })
    }
}
