//! Addresses and connections.

use std::fmt;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};

/// The address of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Address {
    /// A TCP port of a host, which is a name or an IP address without brackets.
    Tcp {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The path of a socket in the file system.
    Unix(#[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))] PathBuf),
}

impl Address {
    /// Creates the address of a TCP port.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self::Tcp { host: host.into(), port }
    }
}

/// Writes the address as in a URL: `[::1]:80`; the path of a socket is written as it is.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// An open bidirectional connection.
///
/// Implemented for all suitable types.
pub trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for T {}
