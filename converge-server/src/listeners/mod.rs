//! The code that all listeners share: their state, authentication, limits and error responses.

mod body_memory;
mod connection;
mod definitions;
mod error_response;
mod expiry;
mod first_byte_timeout;
mod host;
mod limits;
mod node_permissions;
mod protocol;
mod request;
mod resource_query;
mod routes;
mod sealing;
mod tls;
mod watch;
mod write_timeout;

use std::sync::Arc;

use converge_controller::runtime::{Dependencies, ManagerHandle};
use converge_controller::service::Client;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::access::{Authenticator, Joining};
use crate::json::Codec;
use crate::metrics::{ListenerCounts, Metrics};
use crate::secret_seal::Seal;
use crate::type_snapshot::Types;

pub(crate) use body_memory::BodyBudget;
pub(crate) use connection::{ListenerSettings, serve};
pub(crate) use error_response::{Kind, Refusal};
pub(crate) use limits::Limits;
pub(crate) use request::{RequestContext, authenticate, check_request_host, denied, refuse_nodes};
pub(crate) use resource_query::{ResourceQuery, partition};
pub(crate) use routes::{Routes, is_call};
pub(crate) use tls::Current;
pub use tls::{Tls, TlsError};
pub(crate) use watch::ClientWatch;

/// The shared state of the listeners.
#[derive(Clone)]
pub(crate) struct ListenerState {
    /// The client of the server itself.
    ///
    /// Each caller has a client of its own in its [`RequestContext`].
    pub(crate) own: Client,
    pub(crate) gate: Authenticator,
    /// The issuer of node certificates, if there is an authority.
    pub(crate) joining: Option<Joining>,
    /// The encryption of secrets.
    pub(crate) seal: Seal,
    /// The current types.
    pub(crate) types: Types,
    pub(crate) controllers: ManagerHandle,
    pub(crate) dependencies: Dependencies,
    pub(crate) metrics: Arc<Metrics>,
    /// The metrics of this listener.
    pub(crate) counts: Arc<ListenerCounts>,
    pub(crate) limits: Limits,
    /// The memory budget of request bodies.
    pub(crate) bodies: BodyBudget,
    /// A permit for each active watch.
    pub(crate) watches: Arc<Semaphore>,
    /// A permit for each module that is being loaded for its graph.
    pub(crate) graphs: Arc<Semaphore>,
    /// A permit for each definition that is being compiled.
    pub(crate) compilations: Arc<Semaphore>,
    /// Cancelled when the server stops.
    pub(crate) stopping: CancellationToken,
}

impl ListenerState {
    /// Returns a JSON codec for the current types.
    pub(crate) fn codec(&self) -> Codec {
        self.types.now().codec.clone()
    }
}
