//! The errors of starting a server.

use std::io;
use std::net::SocketAddr;

use converge_controller::registry::RegistryError;
use converge_controller::runtime::RegisterError;
use converge_controller::service::ServiceError;
use converge_controller::storage::{OpenError, Unavailable};
use converge_core::debug_as_text;

use crate::content::StoreError;
use crate::type_snapshot::FollowError;

/// A reason why a server does not start.
#[derive(thiserror::Error)]
pub enum StartError {
    /// Other machines could reach the server, which lacks TLS or authentication.
    #[error(
        "{address} can be reached from other machines, for which a server needs TLS and tokens (`converge server init` makes both); \
         or give an address of this machine alone, such as 127.0.0.1:{}", .address.port()
    )]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// The server cannot listen at the address.
    #[error("cannot listen on {address}: {source}{}", hint(.source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The error of the system.
        source: io::Error,
    },
    /// HTTP already uses this port at another address.
    #[error(
        "cannot listen on {grpc} for gRPC: HTTP is spoken at {http}; give --grpc {http} to speak both there, or another port"
    )]
    SharedPort {
        /// The address for gRPC.
        grpc: SocketAddr,
        /// The address of HTTP.
        http: SocketAddr,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store does not answer.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// Two types conflict.
    #[error("the types cannot be registered: {0}")]
    Types(#[from] RegistryError),
    /// The types cannot be described for clients.
    #[error("the types cannot be described: {0}")]
    Describe(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The stored type definitions cannot be read.
    #[error("the types that are defined cannot be read: {0}")]
    Definitions(#[source] Box<ServiceError>),
    /// A controller cannot be registered.
    #[error("the controllers cannot be registered: {0}")]
    Controllers(#[from] RegisterError),
}

debug_as_text!(StartError);

impl From<FollowError> for StartError {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Service(error) => Self::Definitions(Box::new(error)),
            FollowError::Describe(error) => Self::Describe(error),
        }
    }
}

impl From<StoreError> for StartError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::File(error) => Self::Store(error),
            StoreError::Etcd(error) => Self::Unavailable(error),
        }
    }
}

fn hint(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            ": another program listens there; give another address, or port 0 for one that is free"
        }
        _ => "",
    }
}
