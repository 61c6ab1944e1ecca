//! Connections.

use std::fmt;
use std::path::PathBuf;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use super::SystemError;
use crate::http::{HttpError, HttpRequest, HttpResponse};

/// Where a connection leads to.
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
    /// A socket in the file system.
    Unix(#[cfg_attr(feature = "serde", serde(with = "crate::types::json_forms::path"))] PathBuf),
}

impl Address {
    /// A TCP port of a host.
    pub fn tcp(host: impl Into<String>, port: u16) -> Self {
        Self::Tcp { host: host.into(), port }
    }
}

/// As in a URL: `[::1]:80`, and the path of a socket as it is.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Unix(path) => write!(f, "{}", path.display()),
        }
    }
}

/// An open connection: bytes both ways. Implemented for everything that can be one.
pub trait Stream: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Stream for T {}

/// The network as the machine sees it.
#[async_trait]
pub trait Network: Send + Sync {
    /// Opens a connection. There is no deadline but that of the operating system; a caller that wants one drops the
    /// future.
    ///
    /// # Errors
    ///
    /// No such host, no listener, no route.
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError>; // with `#[async_trait]` on the `impl`

    /// Asks a server, and gives what it says as soon as it begins to say it. At most five redirects are followed, and
    /// none from https to http. The local system asks the proxies that the environment names, and trusts the
    /// certificates that the machine trusts.
    ///
    /// # Errors
    ///
    /// There is no answer. Any status is one.
    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError>;
}
