//! The connections of the local system.

use std::io;

use async_trait::async_trait;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::net::{TcpStream, lookup_host};

use super::LocalSystem;
#[cfg(unix)]
use super::files::path_lookup;
#[cfg(windows)]
use crate::SystemErrorKind;
use crate::{Address, HttpError, HttpRequest, HttpResponse, Network, Stream, SystemError};

/// Connects to the first address of a host that accepts the connection.
///
/// If none does, the error is that of a reachable address, if there is one. `localhost` has an IPv6 address
/// even where IPv6 is not available.
async fn tcp(host: &str, port: u16) -> io::Result<TcpStream> {
    let mut telling: Option<io::Error> = None;
    for address in lookup_host((host, port)).await? {
        match TcpStream::connect(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => {
                if telling.as_ref().is_none_or(|first| first.kind() == io::ErrorKind::AddrNotAvailable) {
                    telling = Some(error);
                }
            }
        }
    }
    Err(telling.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address")))
}

#[async_trait]
impl Network for LocalSystem {
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        let connected = match address {
            Address::Tcp { host, port } => {
                tcp(host, *port).await.map(|stream| Box::new(stream) as Box<dyn Stream>)
            }
            #[cfg(unix)]
            Address::Unix(path) if self.shared.place.is_elsewhere() => {
                let socket = path_lookup::hold_any(&self.shared.place, path);
                let failed = |kind| SystemError::other("connect to", address.to_string(), kind);
                let socket = socket.map_err(failed)?;
                let path = self.shared.place.path_of_held(&socket, path).map_err(failed)?;
                UnixStream::connect(path).await.map(|stream| Box::new(stream) as Box<dyn Stream>)
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                UnixStream::connect(path).await.map(|stream| Box::new(stream) as Box<dyn Stream>)
            }
            #[cfg(windows)]
            Address::Unix(_) => {
                let kind = SystemErrorKind::unsupported("a Unix socket");
                return Err(SystemError::other("connect to", address.to_string(), kind));
            }
        };
        connected.map_err(|error| SystemError::other("connect to", address.to_string(), error))
    }

    #[cfg(feature = "http")]
    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        self.http.request(request).await
    }

    #[cfg(not(feature = "http"))]
    async fn request(&self, _request: HttpRequest) -> Result<HttpResponse, HttpError> {
        Err(HttpError::NoClient)
    }
}
