//! Connections: their limit, protocols and shutdown.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, join};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::first_byte_timeout::FirstByteTimeout;
use super::limits::Limits;
use super::protocol::{PREFACE_LENGTH, Protocol};
use super::routes::Routes;
use super::tls::Current;
use super::write_timeout::WriteTimeout;
use crate::access::Fingerprint;
use crate::metrics::{Handshake, Limit, ListenerCounts};

/// The delay after a failed accept, for example without free file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// The HTTP/2 flow control window in bytes: the maximum of unread data in memory per direction.
const WINDOW: u32 = 64 * 1024;

/// The settings of a listener, which are cloned for each connection.
#[derive(Clone)]
pub(crate) struct ListenerSettings {
    pub(crate) tls: Option<Current>,
    pub(crate) routes: Routes,
    pub(crate) limits: Limits,
    pub(crate) counts: Arc<ListenerCounts>,
}

/// Serves connections until `closing`, then finishes pending requests within the close time.
pub(crate) async fn serve(listener: TcpListener, door: ListenerSettings, closing: CancellationToken) {
    let places = Arc::new(Semaphore::new(door.limits.connections));
    let connections = TaskTracker::new();
    while let Some((stream, place)) = accept_client(&listener, &places, &closing).await {
        let connected = door.counts.connected();
        let serving = connection(stream, door.clone(), closing.clone());
        connections.spawn(async move {
            serving.await;
            drop((place, connected));
        });
    }
    drop(listener);
    connections.close();
    if timeout(door.limits.close_time, connections.wait()).await.is_err() {
        tracing::warn!(connections = connections.len(), "clients did not read their answers in time");
    }
}

/// Accepts the next client once there is a free place; returns `None` after `closing`.
async fn accept_client(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
    closing: &CancellationToken,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let accepted = async {
        let place = Arc::clone(places).acquire_owned().await.ok()?;
        loop {
            match listener.accept().await {
                Ok((stream, _)) => return Some((stream, place)),
                Err(error) if is_client_error(&error) => {}
                Err(error) => {
                    tracing::warn!(%error, "no connection can be accepted");
                    sleep(PAUSE).await;
                }
            }
        }
    };
    tokio::select! {
        biased;
        () = closing.cancelled() => None,
        accepted = accepted => accepted,
    }
}

/// Whether the error only concerns one client that has gone.
fn is_client_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn connection(stream: TcpStream, mut door: ListenerSettings, closing: CancellationToken) {
    // Answers are short, so waiting to fill a packet would only delay them.
    let _ = stream.set_nodelay(true);
    match door.tls.take() {
        Some(tls) => secured(stream, &tls, door, closing).await,
        None => plain(stream, door, closing).await,
    }
}

/// Serves a connection with TLS.
async fn secured(stream: TcpStream, tls: &Current, door: ListenerSettings, closing: CancellationToken) {
    let (protocols, stalls) = (door.routes.protocols(), door.counts.refused(Limit::StallTime));
    let times = [door.limits.head_time, door.limits.stall_time];
    let accepted = tokio::select! {
        accepted = tls.accept(stream, protocols, times, stalls) => accepted,
        // The client has not sent a request yet.
        () = closing.cancelled() => return,
    };
    match accepted {
        Ok(Some(stream)) => {
            let agreed = stream.get_ref().1;
            let node =
                agreed.peer_certificates().and_then(<[_]>::first).map(|first| Fingerprint::from_der(first));
            // A client without ALPN speaks HTTP/1.1, if the listener supports it.
            let is_selected = |protocol: &&Protocol| agreed.alpn_protocol() == Some(protocol.alpn());
            let protocol = protocols.iter().find(is_selected).or(protocols.last());
            serve_stream(stream, protocol.copied().unwrap_or(Protocol::Http1), node, door, closing).await;
        }
        Ok(None) => door.counts.failed_handshake(Handshake::Plain).count(),
        Err(error) => {
            let handshake = match error.kind() {
                io::ErrorKind::TimedOut => Handshake::Slow,
                io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => Handshake::Closed,
                _ => Handshake::Failed,
            };
            door.counts.failed_handshake(handshake).count();
            tracing::debug!(%error, "the TLS handshake with a client failed");
        }
    }
}

/// Serves a connection without encryption.
async fn plain(mut stream: TcpStream, door: ListenerSettings, closing: CancellationToken) {
    let patience = door.limits.stall_time;
    let stalls = door.counts.refused(Limit::StallTime);
    if let [protocol] = door.routes.protocols() {
        return serve_stream(WriteTimeout::new(stream, patience, stalls), *protocol, None, door, closing)
            .await;
    }
    let detection = tokio::select! {
        told = timeout(door.limits.head_time, Protocol::detect(&mut stream)) => told,
        () = closing.cancelled() => return,
    };
    match detection {
        Ok(Ok((protocol, first))) => {
            let (rest, answers) = stream.into_split();
            let stream = join(io::Cursor::new(first).chain(rest), answers);
            serve_stream(WriteTimeout::new(stream, patience, stalls), protocol, None, door, closing).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "a client disconnected before it sent a request"),
        Err(_) => door.counts.refused(Limit::HeadTime).count(),
    }
}

/// Serves a connection until it ends, and adds the fingerprint of the node certificate to each request.
async fn serve_stream<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    protocol: Protocol,
    node: Option<Fingerprint>,
    ListenerSettings { routes, limits, counts, .. }: ListenerSettings,
    closing: CancellationToken,
) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        if let Some(node) = &node {
            request.extensions_mut().insert(node.clone());
        }
        TowerToHyperService::new(routes.router_for(&request).clone()).call(request)
    });
    let served = match protocol {
        Protocol::Http1 => {
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new()).header_read_timeout(limits.head_time).max_buf_size(limits.head);
            finish(http.serve_connection(TokioIo::new(stream), service), closing).await
        }
        Protocol::Http2 => {
            let mut http = http2::Builder::new(TokioExecutor::new());
            http.timer(TokioTimer::new())
                .max_concurrent_streams(limits.streams)
                .max_header_list_size(u32::try_from(limits.head).unwrap_or(u32::MAX))
                .initial_stream_window_size(WINDOW)
                .initial_connection_window_size(WINDOW)
                .max_send_buf_size(WINDOW as usize)
                .keep_alive_interval(limits.silent_time)
                .keep_alive_timeout(limits.stall_time);
            let late = counts.refused(Limit::HeadTime);
            let stream = FirstByteTimeout::new(stream, PREFACE_LENGTH, limits.head_time, late);
            finish(http.serve_connection(TokioIo::new(stream), service), closing).await
        }
    };
    if let Err(error) = served {
        // The stream itself counts write timeouts.
        if error.is_timeout() {
            let limit = match protocol {
                Protocol::Http1 => Limit::HeadTime,
                Protocol::Http2 => Limit::SilentTime,
            };
            counts.refused(limit).count();
        }
        tracing::debug!(%error, "a connection has ended");
    }
}

/// Serves until the client ends it, or after `closing` until pending requests are answered.
async fn finish<C: GracefulConnection>(connection: C, closing: CancellationToken) -> Result<(), C::Error> {
    let mut serving = pin!(connection);
    tokio::select! {
        biased;
        served = serving.as_mut() => served,
        () = closing.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    }
}
