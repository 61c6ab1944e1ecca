//! Connections of the machine.

use async_trait::async_trait;
use tokio::net::{TcpStream, UnixStream};

use super::LocalSystem;
use crate::system::{Address, HttpError, HttpRequest, HttpResponse, Network, Stream, SystemError};

#[async_trait]
impl Network for LocalSystem {
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        let connected = match address {
            Address::Tcp { host, port } => TcpStream::connect((host.as_str(), *port))
                .await
                .map(|stream| Box::new(stream) as Box<dyn Stream>),
            Address::Unix(path) => {
                UnixStream::connect(path).await.map(|stream| Box::new(stream) as Box<dyn Stream>)
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
