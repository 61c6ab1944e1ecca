//! What a server knows of its types now: those that were built in, and those that are defined while it runs.
//!
//! It is one value that is replaced as a whole. Who is answered takes the value of that moment.

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

/// For how long who wrote a definition waits until it is known here. It is stored then, whatever comes of this.
const PATIENCE: Duration = Duration::from_secs(5);

/// What is known at a time.
pub(crate) struct Known {
    pub(crate) codec: Codec,
    /// The document that says what can be asked.
    pub(crate) openapi: Bytes,
    /// The files of all definitions.
    pub(crate) files: DefinedFiles,
}

/// Definitions, and which state of each.
type States = BTreeMap<Name, (Option<Uid>, Option<Generation>)>;

/// What is known now.
#[derive(Clone)]
pub(crate) struct Types {
    known: watch::Receiver<Arc<Known>>,
    /// The definitions whose types can be written and read.
    served: watch::Receiver<States>,
}

impl Types {
    /// What is known at this moment.
    pub(crate) fn now(&self) -> Arc<Known> {
        Arc::clone(&self.known.borrow())
    }

    /// Waits until the types of a definition can be used as it was stored, or as it was stored after that.
    pub(crate) async fn until(&self, stored: &Resource) {
        let mut served = self.served.clone();
        let is_served = |states: &States| {
            states.get(&stored.id.name).is_some_and(|(_, generation)| *generation >= stored.generation)
        };
        // That it takes long is no mistake of whoever wrote it.
        let _ = timeout(PATIENCE, served.wait_for(is_served)).await;
    }
}

/// Why types cannot be described to those who ask.
type Undescribed = Box<dyn Error + Send + Sync>;
