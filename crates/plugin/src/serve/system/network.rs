//! Connections and HTTP requests on the host.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::super::super::protocol::{
    BodyChunk, FilesScratch, HttpAnswer, NetworkConnect, NetworkRequest, PIECE, StreamRead, StreamShutdown,
    StreamWrite, WireRequest, WireTls,
};
use super::files::Scratch;
use super::open::Opened;
use super::{Handle, HostSystem};
use crate::system::{
    Address, HttpBody, HttpError, HttpRequest, HttpResponse, Identity, Network, RequestBody,
    ScratchFile as _, Stream, SystemError, Tls,
};
use crate::types::json_forms::Bytes;

#[async_trait]
impl Network for HostSystem {
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        let id = self.asks.ask(NetworkConnect { address: address.clone() }).await?;
        let handle = Arc::new(self.asks.handle(id));
        Ok(Box::new(Connection { handle, reads: Mutex::default(), writes: Mutex::default() }))
    }

    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let nanos = |duration: Duration| Some(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
        let (body, kept) = self.body(request.body).await?;
        let request = WireRequest {
            method: Some(request.method.to_string()),
            url: request.url.to_string(),
            body,
            body_of: kept.as_ref().map(|kept| kept.handle.id),
            deadline_ns: request.deadline.and_then(nanos),
            headers: request.headers.into_iter().map(|(name, value)| (name, value.into_exposed())).collect(),
            connect_timeout_ns: nanos(request.connect_timeout),
            inactivity_timeout_ns: nanos(request.inactivity_timeout),
            least_bytes: Some(request.least_rate.bytes),
            least_within_ns: nanos(request.least_rate.within),
            tls: request.tls.is_some().then(|| wire_tls(request.tls)),
        };
        let response = http_result(self.asks.ask(NetworkRequest { request }).await)?;
        drop(kept);
        Ok(HttpResponse {
            status: response.status,
            url: response
                .url
                .parse()
                .map_err(|error: crate::system::UrlError| HttpError::BadRedirect(error.to_string()))?,
            headers: response.headers,
            body: Box::new(Body(self.asks.handle(response.body))),
        })
    }
}

impl HostSystem {
    /// Prepares a request body: as bytes, or as a scratch file on the host.
    ///
    /// A long body is copied to the scratch file before the request begins.
    async fn body(&self, body: RequestBody) -> Result<(Option<Bytes>, Option<Opened>), HttpError> {
        let failed = |error: SystemError| HttpError::Failed(error.to_string());
        let mut scratch = match &body {
            RequestBody::Empty => return Ok((None, None)),
            RequestBody::Bytes(bytes) if bytes.len() <= PIECE => {
                return Ok((Some(Bytes(bytes.clone())), None));
            }
            _ => Scratch(self.asks.handle(self.asks.ask(FilesScratch {}).await.map_err(failed)?)),
        };
        match body {
            RequestBody::Empty => {}
            RequestBody::Bytes(bytes) => scratch.write(&bytes).await.map_err(failed)?,
            RequestBody::File(file) => {
                let (mut at, end) = (0, file.metadata().len);
                let mut buffer = vec![0; PIECE];
                while at < end {
                    let most = usize::try_from(end - at).map_or(PIECE, |left| left.min(PIECE));
                    let read = file.read_at(at, &mut buffer[..most]).await.map_err(failed)?;
                    if read == 0 {
                        return Err(HttpError::Body(format!("the file has {at} bytes of {end}")));
                    }
                    scratch.write(&buffer[..read]).await.map_err(failed)?;
                    at += read as u64;
                }
            }
            RequestBody::Stream { mut body, length } => {
                let mut sent = 0;
                while let Some(piece) = body.chunk().await? {
                    sent += piece.len() as u64;
                    scratch.write(&piece).await.map_err(failed)?;
                }
                if let Some(length) = length.filter(|length| *length != sent) {
                    return Err(HttpError::Body(format!("it has {sent} bytes, and {length} were promised")));
                }
            }
        }
        let open = scratch.into_opened().await.map_err(failed)?;
        Ok((None, Some(open)))
    }
}

fn wire_tls(tls: Tls) -> WireTls {
    let identity = tls.identity.map(|Identity { certificate, key }| (certificate, key.into_exposed()));
    WireTls { authorities: tls.authorities, identity, insecure: tls.insecure }
}

fn http_result<T>(answer: Result<HttpAnswer<T>, SystemError>) -> Result<T, HttpError> {
    match answer {
        Ok(HttpAnswer::Said(said)) => Ok(said),
        Ok(HttpAnswer::Failed(error)) => Err(error),
        Err(error) => Err(HttpError::Failed(error.to_string())),
    }
}

struct Body(Handle);

#[async_trait]
impl HttpBody for Body {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        let chunk = http_result(self.0.ask(|handle| BodyChunk { handle }).await)?;
        Ok(chunk.map(|Bytes(bytes)| bytes))
    }
}

type Pending<T> = Mutex<Option<Pin<Box<dyn Future<Output = Result<T, SystemError>> + Send>>>>;

/// A connection on the host, with at most one read and one write in flight.
struct Connection {
    handle: Arc<Handle>,
    reads: Pending<Bytes>,
    writes: Pending<usize>,
}

/// Polls the operation in flight, or begins it.
fn advance<T>(
    pending: &Pending<T>,
    cx: &mut Context<'_>,
    begin: impl FnOnce() -> Pin<Box<dyn Future<Output = Result<T, SystemError>> + Send>>,
) -> Poll<io::Result<T>> {
    let mut slot = pending.lock().unwrap_or_else(PoisonError::into_inner);
    let done = ready!(slot.get_or_insert_with(begin).as_mut().poll(cx));
    *slot = None;
    Poll::Ready(done.map_err(io::Error::other))
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let most = buffer.remaining().min(PIECE) as u64;
        let handle = Arc::clone(&self.handle);
        let Bytes(bytes) = ready!(advance(&self.reads, cx, || {
            Box::pin(async move { handle.ask(|handle| StreamRead { handle, most }).await })
        }))?;
        // A read that was begun with a larger buffer may return more than fits now.
        let Some(fits) = bytes.get(..bytes.len().min(buffer.remaining())) else { return Poll::Ready(Ok(())) };
        buffer.put_slice(fits);
        if let Some(rest) = bytes.get(fits.len()..).filter(|rest| !rest.is_empty()) {
            let rest = Bytes(rest.to_vec());
            *self.reads.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::pin(async { Ok(rest) }));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let handle = Arc::clone(&self.handle);
        advance(&self.writes, cx, || {
            let piece = bytes[..bytes.len().min(PIECE)].to_vec();
            Box::pin(async move {
                let written = piece.len();
                handle.ask(|handle| StreamWrite { handle, bytes: Bytes(piece) }).await?;
                Ok(written)
            })
        })
    }

    /// Does nothing: the host passes on each write.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let handle = Arc::clone(&self.handle);
        advance(&self.writes, cx, || {
            Box::pin(async move {
                handle.ask(|handle| StreamShutdown { handle }).await?;
                Ok(0)
            })
        })
        .map_ok(drop)
    }
}
