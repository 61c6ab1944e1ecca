//! What the doors have in common: what is behind them, whom they let in, what a client may cost, and what is said when something is
//! refused.

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

use crate::access::{Gate, Joining};
use crate::json::Codec;
use crate::metrics::{DoorCounts, Metrics};
use crate::secret_seal::Seal;
use crate::type_snapshot::Types;

pub(crate) use body_memory::Bodies;
pub(crate) use connection::{Door, serve};
pub(crate) use error_response::{Kind, Refusal};
pub(crate) use limits::Limits;
pub(crate) use request::{Visit, admitted, denied, meant_here, of_no_node};
pub(crate) use resource_query::{Which, partition};
pub(crate) use routes::{Routes, is_call};
pub(crate) use tls::Current;
pub use tls::{Tls, TlsError};
pub(crate) use watch::Told;

/// What the doors lead to.
#[derive(Clone)]
pub(crate) struct Doors {
    /// The server itself. Who comes in has a client of their own: that of their [`Visit`].
    pub(crate) own: Client,
    pub(crate) gate: Gate,
    /// Lets nodes join, where there is an authority to sign their certificates.
    pub(crate) joining: Option<Joining>,
    /// Seals secrets.
    pub(crate) seal: Seal,
    /// What is known of types now.
    pub(crate) types: Types,
    pub(crate) controllers: ManagerHandle,
    pub(crate) dependencies: Dependencies,
    pub(crate) metrics: Arc<Metrics>,
    /// What is counted at this one of them.
    pub(crate) counts: Arc<DoorCounts>,
    pub(crate) limits: Limits,
    /// The memory that there is for what is asked.
    pub(crate) bodies: Bodies,
    /// A place for each watch that is told.
    pub(crate) watches: Arc<Semaphore>,
    /// The server has been told to stop.
    pub(crate) stopping: CancellationToken,
}

impl Doors {
    /// What turns resources into JSON and back, by the types of this moment.
    pub(crate) fn codec(&self) -> Codec {
        self.types.now().codec.clone()
    }
}
