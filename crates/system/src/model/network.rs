//! The network of the model host: listeners, services and pages.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

use super::http::Ending;
use super::peer_stream::SpeakerStream;
use super::stream::HttpStream;
use super::{HostState, HttpCall, HttpReply, ModelSystem, Shared};
use crate::http::redirect::{Hop, OriginalRequest, REDIRECTS};
use crate::{
    Address, HttpBody, HttpError, HttpRequest, HttpResponse, Method, Network, RequestBody, Stream,
    SystemError, SystemErrorKind, Url,
};

/// The number of body bytes per chunk.
const CHUNK: usize = 1024;

#[async_trait]
impl Network for ModelSystem {
    /// Connects to a listener, which neither sends nor reads anything.
    ///
    /// Listeners that speak [HTTP](ModelSystem::with_http_listener) or [another
    /// protocol](ModelSystem::with_speaker) respond.
    async fn connect(&self, address: &Address) -> Result<Box<dyn Stream>, SystemError> {
        self.state.turn().await;
        let (host, listens) = {
            let machine = &self.lock().machine;
            let host = match address {
                Address::Tcp { host, .. } => machine.host(host),
                Address::Unix(_) => None,
            };
            (host, machine.listens(address))
        };
        let kind = match (host, address) {
            (Some(HostState::Hangs), _) => return std::future::pending().await,
            (Some(HostState::Unreachable), _) => SystemErrorKind::Unreachable,
            (None, _) if listens => {
                if let Some(speaks) = self.speaker_listeners.iter().find(|speaks| speaks.at == *address) {
                    return Ok(Box::new(SpeakerStream::new(self.state.clone(), speaks)));
                }
                let speaks = self.http_listeners.iter().find(|(at, _)| at == address);
                return Ok(match speaks {
                    Some((_, base)) => Box::new(HttpStream::new(self.servers(), base.clone())),
                    None => Box::new(tokio::io::empty()),
                });
            }
            (None, Address::Unix(_)) => SystemErrorKind::NotFound,
            (_, _) => SystemErrorKind::ConnectionRefused,
        };
        Err(SystemError::other("connect to", address.to_string(), kind))
    }

    /// Sends a request to the services, then to the pages.
    ///
    /// A host without either does not exist.
    async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        request.check_headers()?;
        let HttpRequest {
            method,
            url,
            headers,
            body,
            deadline,
            connect_timeout,
            inactivity_timeout,
            tls,
            ..
        } = request;
        let elsewhere = tls.elsewhere();
        let patience = Patience::new(&self.state, connect_timeout, inactivity_timeout, deadline);
        let request_info = OriginalRequest { url: &url, repeatable: body.is_repeatable() };
        let mut hop = Hop { method, url: url.clone(), sends_body: body.is_some() };
        let body = whole(body).await?;
        for _ in 0..=REDIRECTS {
            self.state.turn().await;
            let sent = headers.iter().filter(|(name, _)| hop.sends(&url, name)).cloned().collect();
            let body = if hop.sends_body { body.clone() } else { Vec::new() };
            let tls = hop.choose(&url, &tls, &elsewhere).clone();
            let call =
                HttpCall { method: hop.method.clone(), url: hop.url.clone(), headers: sent, body, tls };
            let reply = self.answer(call, &patience).await?;
            let Some(next) = hop.follow(request_info, reply.status, reply.header("location"))? else {
                return Ok(response(hop, reply, patience));
            };
            hop = next;
        }
        Err(HttpError::TooManyRedirects(REDIRECTS))
    }
}

impl ModelSystem {
    async fn answer(&self, call: HttpCall, patience: &Patience) -> Result<HttpReply, HttpError> {
        let host = {
            self.servers().remember(&call);
            self.lock().machine.host(call.url.host())
        };
        match host {
            Some(HostState::Refuses) => return Err(HttpError::Refused),
            Some(HostState::Unreachable) => return Err(HttpError::NoWay),
            Some(HostState::Hangs) => {
                let error = HttpError::ConnectTimeout(patience.connect);
                return Err(patience.silence(patience.connect, error).await);
            }
            None => {}
        }
        let reply = self.servers().reply(&call)?;
        if reply.delay > Duration::ZERO {
            patience.wait(reply.delay).await?;
        }
        match reply.ending {
            Ending::Failed(error) => Err(error),
            Ending::NoAnswer => Err(patience.silent().await),
            _ => Ok(reply),
        }
    }
}

async fn whole(body: RequestBody) -> Result<Vec<u8>, HttpError> {
    let failed = |error: String| HttpError::Body(error);
    match body {
        RequestBody::Empty => Ok(Vec::new()),
        RequestBody::Bytes(bytes) => Ok(bytes),
        RequestBody::File(file) => {
            let mut bytes = vec![0; usize::try_from(file.metadata().len).unwrap_or_default()];
            let mut filled = 0;
            while filled < bytes.len() {
                let read = file.read_at(filled as u64, &mut bytes[filled..]).await;
                match read.map_err(|error| failed(error.to_string()))? {
                    0 => return Err(failed(format!("it ends after {filled} of {} bytes", bytes.len()))),
                    count => filled += count,
                }
            }
            Ok(bytes)
        }
        RequestBody::Stream { mut body, length } => {
            let mut bytes = Vec::new();
            while let Some(piece) = body.chunk().await.map_err(|error| failed(error.to_string()))? {
                bytes.extend(piece);
            }
            match length {
                Some(length) if (bytes.len() as u64) < length => {
                    Err(failed(format!("it ends after {} of {length} bytes", bytes.len())))
                }
                Some(length) if bytes.len() as u64 > length => {
                    Err(failed(format!("it has more than {length} bytes")))
                }
                _ => Ok(bytes),
            }
        }
    }
}

/// The time limits of a request, by the clock of the model.
struct Patience {
    host: Shared,
    connect: Duration,
    inactivity: Duration,
    deadline: Option<(SystemTime, Duration)>,
}

impl Patience {
    fn new(host: &Shared, connect: Duration, inactivity: Duration, deadline: Option<Duration>) -> Self {
        let now = host.lock().machine.now();
        let deadline = deadline.and_then(|time| Some((now.checked_add(time)?, time)));
        Self { host: host.clone(), connect, inactivity, deadline }
    }

    /// Waits until a time limit or the deadline, and returns the error of the earlier one.
    async fn silence(&self, patience: Duration, error: HttpError) -> HttpError {
        let now = self.host.lock().machine.now();
        let left = self.deadline.map(|(at, time)| (at.duration_since(now).unwrap_or_default(), time));
        match left {
            Some((left, time)) if left <= patience => {
                self.host.sleep(left).await;
                HttpError::Timeout(time)
            }
            _ => {
                self.host.sleep(patience).await;
                error
            }
        }
    }

    async fn silent(&self) -> HttpError {
        self.silence(self.inactivity, HttpError::Inactive(self.inactivity)).await
    }

    async fn wait(&self, delay: Duration) -> Result<(), HttpError> {
        let now = self.host.lock().machine.now();
        let left = self.deadline.map(|(at, _)| at.duration_since(now).unwrap_or_default());
        if delay >= self.inactivity || left.is_some_and(|left| delay >= left) {
            return Err(self.silent().await);
        }
        self.host.sleep(delay).await;
        Ok(())
    }
}

fn response(hop: Hop, reply: HttpReply, patience: Patience) -> HttpResponse {
    let HttpReply { status, headers, body, ending, .. } = reply;
    let mut headers: Vec<_> =
        headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    if status != 304 && !headers.iter().any(|(name, _)| name == "content-length") {
        headers.push(("content-length".to_owned(), body.len().to_string()));
    }
    let body = if hop.method == Method::Head { Vec::new() } else { body };
    HttpResponse {
        status,
        url: hop.url,
        headers,
        body: Box::new(ReplyChunks { rest: body, given: 0, ending, patience }),
    }
}

struct ReplyChunks {
    rest: Vec<u8>,
    given: usize,
    ending: Ending,
    patience: Patience,
}

#[async_trait]
impl HttpBody for ReplyChunks {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        self.patience.host.turn().await;
        let end = match self.ending {
            Ending::Cut(bytes) | Ending::Silent(bytes) => bytes.saturating_sub(self.given),
            _ => usize::MAX,
        };
        if end == 0 {
            return match self.ending {
                Ending::Silent(_) => Err(self.patience.silent().await),
                _ => Err(HttpError::Incomplete),
            };
        }
        let rest = self.rest.split_off(self.rest.len().min(CHUNK).min(end));
        let chunk = std::mem::replace(&mut self.rest, rest);
        self.given += chunk.len();
        Ok((!chunk.is_empty()).then_some(chunk))
    }
}

impl Url {
    /// Returns the host without its port and without brackets.
    fn host(&self) -> &str {
        let authority = self.authority();
        match authority.strip_prefix('[') {
            Some(address) => address.split(']').next().unwrap_or_default(),
            None => authority.split(':').next().unwrap_or_default(),
        }
    }
}
