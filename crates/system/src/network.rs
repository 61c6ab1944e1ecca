//! The interface to the network.

use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use super::SystemError;
use crate::http::{HttpError, HttpRequest, HttpResponse};

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

/// The network as the machine sees it.
#[async_trait]
pub trait Network: Send + Sync {
    /// Opens a connection.
    ///
    /// The only time limit is that of the operating system. A caller with another limit drops the future.
    ///
    /// # Errors
    ///
    /// If the host does not exist, nothing listens at the address, or there is no route.
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError>; // with `#[async_trait]` on the `impl`

    /// Sends an HTTP request, and returns the response as soon as its head arrives.
    ///
    /// At most five redirects are followed, and none from https to http. The local system uses the proxies in
    /// the environment, and trusts the certificates that the machine trusts.
    ///
    /// # Errors
    ///
    /// If there is no response. A response with any status is no error.
    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;
}
