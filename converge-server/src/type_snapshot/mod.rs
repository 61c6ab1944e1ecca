//! The current types of a server: the built-in ones and those that are defined at run time.
//!
//! The snapshot is replaced as a whole. Each request uses the snapshot at its time.

mod follower;

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use converge_controller::{Generation, Name, Resource, Uid};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::definitions::DefinedFiles;
use crate::json::Codec;

pub(crate) use follower::{FollowError, Follower};

/// The maximum time that the write of a definition waits for its types.
///
/// The definition is stored in any case.
const PATIENCE: Duration = Duration::from_secs(5);

/// A snapshot of the types.
pub(crate) struct TypeSnapshot {
    pub(crate) codec: Codec,
    /// The `OpenAPI` document.
    pub(crate) openapi: Bytes,
    /// The files of all definitions.
    pub(crate) files: DefinedFiles,
}

/// The version of each definition.
type States = BTreeMap<Name, (Option<Uid>, Option<Generation>)>;

/// The current types.
#[derive(Clone)]
pub(crate) struct Types {
    known: watch::Receiver<Arc<TypeSnapshot>>,
    /// The definitions whose types are in service.
    served: watch::Receiver<States>,
}

impl Types {
    /// Returns the current snapshot.
    pub(crate) fn now(&self) -> Arc<TypeSnapshot> {
        Arc::clone(&self.known.borrow())
    }

    /// Waits until the types of a stored definition, or of a later version of it, are in service.
    pub(crate) async fn until(&self, stored: &Resource) {
        let mut served = self.served.clone();
        let is_served = |states: &States| {
            states.get(&stored.id.name).is_some_and(|(_, generation)| *generation >= stored.generation)
        };
        // A timeout is not an error of the client.
        let _ = timeout(PATIENCE, served.wait_for(is_served)).await;
    }
}

/// A reason why the types cannot be described for clients.
type Undescribed = Box<dyn Error + Send + Sync>;
