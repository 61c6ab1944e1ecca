//! Why a server does not start.

use std::io;
use std::net::SocketAddr;

use converge_controller::registry::RegistryError;
use converge_controller::runtime::RegisterError;
use converge_controller::service::ServiceError;
use converge_controller::storage::{OpenError, Unavailable};

use crate::content::StoreError;
use crate::type_snapshot::FollowError;

/// A server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Other machines could reach it.
    #[error(
        "{address} can be reached from other machines, for which a server needs TLS and tokens (`converge server init` makes both); \
         or give an address of this machine alone, such as 127.0.0.1:{}", .address.port()
    )]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// It cannot listen there.
    #[error("cannot listen on {address}: {source}{}", hint(.source))]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// HTTP is spoken at that port already, though not at that address.
    #[error(
        "cannot listen on {grpc} for gRPC: HTTP is spoken at {http}; give --grpc {http} to speak both there, or another port"
    )]
    SharedPort {
        /// Where gRPC was to be spoken.
        grpc: SocketAddr,
        /// Where HTTP is.
        http: SocketAddr,
    },
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The store cannot be asked.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    /// Two types cannot stand side by side.
    #[error("the types cannot be registered: {0}")]
    Types(#[from] RegistryError),
    /// Types cannot be described to those who ask for them.
    #[error("the types cannot be described: {0}")]
    Describe(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The types that are defined cannot be read.
    #[error("the types that are defined cannot be read: {0}")]
    Definitions(#[source] Box<ServiceError>),
    /// A controller could not run.
    #[error("the controllers cannot be registered: {0}")]
    Controllers(#[from] RegisterError),
}

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
