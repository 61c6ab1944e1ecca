//! The store of a server's resources.

use std::path::PathBuf;
use std::sync::Arc;

use converge_controller::storage::{Backend, Etcd, EtcdOptions, Memory, OpenError, Redb, Unavailable};

/// The file name of the store in the folder of a server.
const FILE: &str = "resources.redb";

/// The place of a server's resources.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Store {
    /// Memory only; the resources are lost when the server stops.
    Memory,
    /// A folder, which is created if missing, for one server at a time.
    Folder(PathBuf),
    /// An etcd cluster for any number of servers, which share the work of the controllers.
    Etcd(Box<EtcdOptions>),
}

/// A reason why a store cannot be opened.
#[derive(Debug)]
pub(crate) enum StoreError {
    /// The file is in use by another process, cannot be read or written, or has another format.
    File(OpenError),
    /// No member of etcd answers, or the server is not authorized.
    Etcd(Unavailable),
}

impl Store {
    /// Creates a store in etcd with these connection options.
    pub fn etcd(options: EtcdOptions) -> Self {
        Self::Etcd(Box::new(options))
    }

    /// Returns the file of the resources if the store is in a folder.
    pub(crate) fn file(&self) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder.join(FILE)),
            Self::Memory | Self::Etcd(_) => None,
        }
    }

    /// Opens the store.
    ///
    /// # Errors
    ///
    /// See the variants of [`StoreError`].
    pub(crate) async fn open(self) -> Result<Arc<dyn Backend>, StoreError> {
        Ok(match self {
            Self::Memory => Arc::new(Memory::new()),
            Self::Folder(folder) => Arc::new(Redb::open(folder.join(FILE)).await.map_err(StoreError::File)?),
            Self::Etcd(options) => Arc::new(Etcd::connect(*options).await.map_err(StoreError::Etcd)?),
        })
    }
}
