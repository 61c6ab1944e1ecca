//! Where resources are kept.

use std::path::PathBuf;
use std::sync::Arc;

use converge_controller::storage::{Backend, Memory, OpenError, Redb};

/// What the file of a store is called in the folder of a server.
const FILE: &str = "resources.redb";

/// Where a server keeps its resources.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Store {
    /// In memory: they are gone when it stops.
    Memory,
    /// In a folder, for one server at a time. It is made when it is not there.
    Folder(PathBuf),
}

impl Store {
    /// Opens it.
    ///
    /// # Errors
    ///
    /// Its file is in use by another process, cannot be read or written, or is of another kind.
    pub(crate) async fn open(&self) -> Result<Arc<dyn Backend>, OpenError> {
        Ok(match self {
            Self::Memory => Arc::new(Memory::new()),
            Self::Folder(folder) => Arc::new(Redb::open(folder.join(FILE)).await?),
        })
    }
}
