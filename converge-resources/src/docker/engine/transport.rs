//! HTTP requests to the engine over a connection of the system.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context as Wakeup, Poll, ready};

use bollard::BollardRequest;
use bollard::errors::Error as ClientError;
use converge_sdk::prelude::*;
use converge_sdk::system::{Address, Stream};
use hyper::Response;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderName, HeaderValue};
use hyper::rt::{Read, ReadBufCursor, Write};
use tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use tokio::task::JoinSet;

/// The host that requests name; the engine ignores it.
pub(super) const AUTHORITY: &str = "http://docker";

const REGISTRY_AUTH: HeaderName = HeaderName::from_static("x-registry-auth");

type ResponseFuture = Pin<Box<dyn Future<Output = Result<Response<Incoming>, ClientError>> + Send>>;

/// Returns a transport for the requests of one client.
///
/// The connections close when the client is dropped.
pub(super) fn new(
    cx: Context,
    address: Address,
    version: Arc<OnceLock<String>>,
) -> impl Fn(BollardRequest) -> ResponseFuture + Send + Sync + 'static {
    let connections = Arc::new(Mutex::new(JoinSet::new()));
    move |request| {
        let (cx, address, connections) = (cx.clone(), address.clone(), Arc::clone(&connections));
        let request = finish(request, version.get().map(String::as_str));
        Box::pin(async move {
            let stream = cx.system().network().connect(&address).await.map_err(io::Error::other)?;
            let (mut sender, connection) = http1::handshake(Connection(stream)).await?;
            let reading = async move {
                // The caller that waits for the answer gets the same error.
                if let Err(error) = connection.await {
                    tracing::debug!(%error, "the connection to the Docker engine ended");
                }
            };
            connections.lock().unwrap_or_else(PoisonError::into_inner).spawn(reading);
            Ok(sender.send_request(request?).await?)
        })
    }
}

/// Adds the API version to a request, and whatever else the client leaves to its transport.
fn finish(request: BollardRequest, version: Option<&str>) -> Result<BollardRequest, ClientError> {
    let (mut head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    head.uri = match version {
        Some(version) => format!("/v{version}{path}").parse()?,
        None => path.parse()?,
    };
    head.headers.insert(HOST, HeaderValue::from_static("docker"));
    if let Some(credentials) = head.headers.get_mut(REGISTRY_AUTH) {
        *credentials = url_safe(credentials)?;
    }
    Ok(BollardRequest::from_parts(head, body))
}

/// Converts a header to the URL-safe alphabet of base64, which the engine reads.
///
/// The client writes the standard alphabet, in which the engine cannot read passwords with `>`, `?` or `~`.
fn url_safe(encoded: &HeaderValue) -> Result<HeaderValue, ClientError> {
    let encoded = encoded.to_str()?.replace('+', "-").replace('/', "_");
    let mut encoded =
        HeaderValue::try_from(encoded).map_err(|error| ClientError::HttpClientError { err: error.into() })?;
    encoded.set_sensitive(true);
    Ok(encoded)
}

/// A connection of the system, adapted for `hyper`.
struct Connection(Box<dyn Stream>);

impl Read for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        wakeup: &mut Wakeup<'_>,
        mut into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; 8 * 1024];
        let room = into.remaining().min(bytes.len());
        let mut read = ReadBuf::new(bytes.get_mut(..room).unwrap_or_default());
        ready!(Pin::new(&mut self.0).poll_read(wakeup, &mut read))?;
        into.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl Write for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        wakeup: &mut Wakeup<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(wakeup, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, wakeup: &mut Wakeup<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(wakeup)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, wakeup: &mut Wakeup<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(wakeup)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_written_in_the_alphabet_that_the_engine_reads() {
        let sent = url_safe(&HeaderValue::from_static("eyI+Pz8/In0=")).unwrap();
        assert_eq!(sent, "eyI-Pz8_In0=");
        assert!(sent.is_sensitive());
    }
}
