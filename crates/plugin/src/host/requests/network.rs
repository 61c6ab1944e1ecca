//! Requests on connections, and HTTP requests.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::super::super::protocol::{
    BodyChunk, HttpAnswer, NetworkConnect, NetworkRequest, PIECE, StreamRead, StreamShutdown, StreamWrite,
    WireRequest, WireResponse, WireTls,
};
use super::super::handles::{Connection, Handle, exclusive, used_up};
use super::{Machine, Perform};
use crate::system::{
    HttpError, HttpRequest, Identity, Metadata, MethodError, ReadAt, RequestBody, SystemError, Tls,
};
use crate::types::json_forms::Bytes;
use crate::types::value::Secret;

impl Perform for NetworkConnect {
    async fn perform(self, machine: Machine<'_>) -> Result<u64, SystemError> {
        let stream = machine.cx.system().network().connect(&self.address).await?;
        let (reads, writes) = tokio::io::split(stream);
        machine
            .handles
            .keep(Handle::Stream(Connection { reads: exclusive(reads), writes: exclusive(writes) }))
    }
}

fn failed(operation: &'static str) -> impl Fn(std::io::Error) -> SystemError {
    move |error| SystemError::other(operation, "the connection", error)
}

fn closed() -> SystemError {
    used_up("a connection that is closed")
}

impl Perform for StreamRead {
    async fn perform(self, machine: Machine<'_>) -> Result<Bytes, SystemError> {
        let stream = machine.handles.stream(self.handle)?;
        let mut reads = stream.reads.lock().await;
        let reads = reads.as_mut().ok_or_else(closed)?;
        let mut buffer = vec![0; usize::try_from(self.most).map_or(PIECE, |maximum| maximum.min(PIECE))];
        let read = reads.read(&mut buffer).await.map_err(failed("read from"))?;
        buffer.truncate(read);
        Ok(Bytes(buffer))
    }
}

impl Perform for StreamWrite {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let stream = machine.handles.stream(self.handle)?;
        let mut writes = stream.writes.lock().await;
        let writes = writes.as_mut().ok_or_else(closed)?;
        writes.write_all(&self.bytes.0).await.map_err(failed("write to"))?;
        writes.flush().await.map_err(failed("write to"))
    }
}

impl Perform for StreamShutdown {
    async fn perform(self, machine: Machine<'_>) -> Result<(), SystemError> {
        let stream = machine.handles.stream(self.handle)?;
        let mut writes = stream.writes.lock().await;
        let writes = writes.as_mut().ok_or_else(closed)?;
        writes.shutdown().await.map_err(failed("close"))
    }
}

/// A shared open file, which the plugin may close while it is in use.
struct Shared(Arc<dyn ReadAt>);

#[async_trait]
impl ReadAt for Shared {
    fn metadata(&self) -> &Metadata {
        self.0.metadata()
    }

    async fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, SystemError> {
        self.0.read_at(offset, buffer).await
    }
}

fn request(wire: WireRequest, machine: &Machine<'_>) -> Result<HttpRequest, HttpError> {
    let failed = |reason: &dyn std::fmt::Display| HttpError::Failed(reason.to_string());
    let url =
        wire.url.parse().map_err(|error: crate::system::UrlError| HttpError::Failed(error.to_string()))?;
    let mut request = HttpRequest::new(url);
    if let Some(method) = wire.method {
        request.method = method.parse().map_err(|error: MethodError| failed(&error))?;
    }
    request.body = match (wire.body, wire.body_of) {
        (Some(_), Some(_)) => return Err(failed(&"it has two bodies")),
        (Some(Bytes(bytes)), None) => RequestBody::Bytes(bytes),
        (None, Some(handle)) => {
            let file = machine.handles.file(handle).map_err(|error| failed(&error))?;
            RequestBody::File(Box::new(Shared(file)))
        }
        (None, None) => RequestBody::Empty,
    };
    request.deadline = wire.deadline_ns.map(Duration::from_nanos);
    for (name, value) in wire.headers {
        request = request.header(name, value);
    }
    let set = |place: &mut Duration, nanos: Option<u64>| {
        if let Some(nanos) = nanos {
            *place = Duration::from_nanos(nanos);
        }
    };
    set(&mut request.connect_timeout, wire.connect_timeout_ns);
    set(&mut request.inactivity_timeout, wire.inactivity_timeout_ns);
    set(&mut request.least_rate.within, wire.least_within_ns);
    if let Some(WireTls { authorities, identity, insecure }) = wire.tls {
        let identity = identity.map(|(certificate, key)| Identity { certificate, key: Secret::new(key) });
        request.tls = Tls { authorities, identity, insecure };
    }
    request.least_rate.bytes = wire.least_bytes.unwrap_or(request.least_rate.bytes);
    Ok(request)
}

impl Perform for NetworkRequest {
    async fn perform(self, machine: Machine<'_>) -> Result<HttpAnswer<WireResponse>, SystemError> {
        let request = match request(self.request, &machine) {
            Ok(request) => request,
            Err(error) => return Ok(HttpAnswer::Failed(error)),
        };
        Ok(match machine.cx.system().network().request(request).await {
            Err(error) => HttpAnswer::Failed(error),
            Ok(response) => HttpAnswer::Said(WireResponse {
                status: response.status,
                url: response.url.to_string(),
                headers: response.headers,
                body: machine.handles.keep(Handle::Body(exclusive(response.body)))?,
            }),
        })
    }
}

impl Perform for BodyChunk {
    async fn perform(self, machine: Machine<'_>) -> Result<HttpAnswer<Option<Bytes>>, SystemError> {
        let body = machine.handles.body(self.handle)?;
        let mut body = body.lock().await;
        let body = body.as_mut().ok_or_else(closed)?;
        Ok(match body.chunk().await {
            Ok(chunk) => HttpAnswer::Said(chunk.map(Bytes)),
            Err(error) => HttpAnswer::Failed(error),
        })
    }
}
