//! An asynchronous HTTP client of a server, or of several servers that share one store.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::{Asking, Bearer, is_this_machine};

/// The maximum time for an answer.
const ANSWER: Duration = Duration::from_secs(40);
/// The maximum size of an answer in bytes.
const MOST_BYTES: usize = 64 << 20;
/// The maximum silence of a watch.
///
/// The server sends a sign of life every 15 seconds.
const SILENCE: Duration = Duration::from_mins(1);

/// A reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("{0} is not a server: write it like http://127.0.0.1:8500")]
    Url(String),
    #[error("{0} is another machine, and the token would be sent unencrypted: use https://")]
    Plain(String),
    #[error("it does not answer: {0}")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("TLS cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    #[error("it does not answer in time")]
    Late,
    #[error("it refuses with {status}: {message}")]
    Refused { status: StatusCode, message: String },
    #[error("its answer is invalid: {0}")]
    Strange(String),
}

impl HttpError {
    /// Whether another server may answer, or the same one later.
    pub(crate) fn is_away(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Late => true,
            Self::Refused { status, .. } => *status == StatusCode::SERVICE_UNAVAILABLE,
            Self::Url(_) | Self::Plain(_) | Self::Tls(_) | Self::Strange(_) => false,
        }
    }

    fn unreachable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unreachable(error.into())
    }
}

/// The address of a server, or of several that share one store.
///
/// Requests go to the server that answered last. After a failure the next server is used.
#[derive(Clone)]
pub(crate) struct Address {
    hosts: Arc<[Host]>,
    /// The TLS connector.
    ///
    /// It is replaced when this machine gets a new certificate.
    connector: Option<Arc<RwLock<TlsConnector>>>,
    token: Option<Bearer>,
    /// The number of times that the client moved on to the next server.
    moves: Arc<AtomicUsize>,
}

/// A host with its port.
#[derive(Clone, Debug)]
struct Host {
    authority: String,
    /// The name that the certificate must contain, or `None` without TLS.
    name: Option<ServerName<'static>>,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("hosts", &self.hosts).finish_non_exhaustive()
    }
}

impl Address {
    /// Parses a comma-separated list of URLs.
    pub(crate) fn parse(urls: &str, asking: &Asking) -> Result<Self, HttpError> {
        let hosts: Result<Arc<[Host]>, _> = urls.split(',').map(host_of).collect();
        let (hosts, token) = (hosts?, asking.token.clone());
        let is_plain = |host: &&Host| host.name.is_none() && !is_this_machine(&host.authority);
        if let Some(host) = hosts.iter().find(is_plain).filter(|_| token.is_some()) {
            return Err(HttpError::Plain(host.authority.clone()));
        }
        let uses_tls = hosts.iter().any(|host| host.name.is_some());
        let connector = uses_tls.then(|| connector(asking)).transpose()?;
        let connector = connector.map(|connector| Arc::new(RwLock::new(connector)));
        Ok(Self { hosts, connector, token, moves: Arc::default() })
    }

    /// Replaces the credentials and authorities for new requests.
    ///
    /// Requests in progress continue.
    pub(crate) fn ask_as(&self, asking: &Asking) -> Result<(), HttpError> {
        if let Some(known) = &self.connector {
            *known.write().unwrap_or_else(PoisonError::into_inner) = connector(asking)?;
        }
        Ok(())
    }

    /// Returns the current host, and the number of moves so far.
    fn now(&self) -> (&Host, usize) {
        let moves = self.moves.load(Ordering::Relaxed);
        (&self.hosts[moves % self.hosts.len()], moves)
    }

    /// Moves on to the next host if the answer failed, unless another request has done so since `moves`.
    fn check<T>(&self, moves: usize, answer: Result<T, HttpError>) -> Result<T, HttpError> {
        if answer.as_ref().is_err_and(HttpError::is_away) {
            let next = moves.wrapping_add(1);
            let _ = self.moves.compare_exchange(moves, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        answer
    }

    /// Sends a request and returns the answer as JSON, or `None` if it is empty or not found.
    pub(crate) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Value>, HttpError> {
        let (host, moves) = self.now();
        let asked = async {
            let answer = self.send(host, method, path, body).await?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
            let body = body.map_err(HttpError::Unreachable)?.to_bytes();
            match status {
                StatusCode::NOT_FOUND | StatusCode::NO_CONTENT => Ok(None),
                status if status.is_success() => serde_json::from_slice(&body).map(Some).map_err(strange),
                status => Err(refused(status, &body)),
            }
        };
        let answer = timeout(ANSWER, asked).await.unwrap_or(Err(HttpError::Late));
        self.check(moves, answer)
    }

    /// Starts a watch.
    pub(crate) async fn watch(&self, path: &str) -> Result<Watch, HttpError> {
        let (host, moves) = self.now();
        let answer = async {
            let answer = self.send(host, Method::GET, path, None).await?;
            let status = answer.status();
            if status.is_success() {
                return Ok(answer.into_body());
            }
            let said = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
            Err(refused(status, &said.map_err(HttpError::Unreachable)?.to_bytes()))
        };
        let answer = timeout(ANSWER, answer).await.unwrap_or(Err(HttpError::Late));
        Ok(Watch { body: self.check(moves, answer)?, text: Text::default() })
    }

    async fn send(
        &self,
        host: &Host,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response<Incoming>, HttpError> {
        let stream = TcpStream::connect(&host.authority).await.map_err(HttpError::unreachable)?;
        let known = self.connector.as_ref();
        let known = known.map(|known| known.read().unwrap_or_else(PoisonError::into_inner).clone());
        let mut sender = match (&host.name, known) {
            (Some(name), Some(connector)) => {
                speak(connector.connect(name.clone(), stream).await.map_err(HttpError::unreachable)?).await?
            }
            _ => speak(stream).await?,
        };
        let body = body.map(Value::to_string).unwrap_or_default();
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &host.authority)
            .header(CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, token.header());
        }
        let request = request.body(Full::new(Bytes::from(body))).map_err(HttpError::unreachable)?;
        sender.send_request(request).await.map_err(HttpError::unreachable)
    }
}

fn connector(asking: &Asking) -> Result<TlsConnector, HttpError> {
    Ok(TlsConnector::from(Arc::new(asking.for_rustls()?)))
}

/// Opens an HTTP connection on a stream.
async fn speak<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
) -> Result<SendRequest<Full<Bytes>>, HttpError> {
    let (sender, connection) =
        http1::handshake(TokioIo::new(stream)).await.map_err(HttpError::unreachable)?;
    // The task ends with the answer, or when the answer is dropped.
    tokio::spawn(connection);
    Ok(sender)
}

/// Parses the host and the port of a URL.
fn host_of(url: &str) -> Result<Host, HttpError> {
    let wrong = || HttpError::Url(url.to_owned());
    let secure = url.strip_prefix("https://");
    let host = secure.or_else(|| url.strip_prefix("http://")).ok_or_else(wrong)?.trim_end_matches('/');
    let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
    if !matches!(port, Some(Ok(_))) || host.contains(['/', '?', '#', '@']) {
        return Err(wrong());
    }
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    let name = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
    let name = secure.map(|_| ServerName::try_from(name.to_owned())).transpose().map_err(|_| wrong())?;
    Ok(Host { authority: host.to_owned(), name })
}

fn strange(error: impl std::error::Error) -> HttpError {
    HttpError::Strange(error.to_string())
}

fn refused(status: StatusCode, body: &[u8]) -> HttpError {
    let said: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = said["error"]["message"].as_str().unwrap_or("it does not say why").to_owned();
    HttpError::Refused { status, message }
}

/// A stream of server-sent events.
#[derive(Debug)]
pub(crate) struct Watch {
    body: Incoming,
    text: Text,
}

/// The received bytes of incomplete events.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    /// The number of bytes already searched for the end of an event.
    searched: usize,
}

impl Watch {
    /// Returns the name and the JSON of the next event, or `None` when the server has ended the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<(String, Value)>, HttpError> {
        loop {
            if let Some(event) = self.text.take_event()? {
                return Ok(Some(event));
            }
            if self.text.bytes.len() > MOST_BYTES {
                return Err(HttpError::Strange("an event has no end".to_owned()));
            }
            let frame = timeout(SILENCE, self.body.frame()).await.map_err(|_| HttpError::Late)?;
            match frame {
                None => return Ok(None),
                Some(frame) => {
                    let frame = frame.map_err(HttpError::unreachable)?;
                    self.text.bytes.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
                }
            }
        }
    }
}

impl Text {
    /// Removes and returns the first complete event.
    ///
    /// Comments that only keep the connection alive are skipped.
    fn take_event(&mut self) -> Result<Option<(String, Value)>, HttpError> {
        const END: &[u8] = b"\n\n";
        while let Some(end) = self.bytes[self.searched..].windows(END.len()).position(|two| two == END) {
            let event: Vec<u8> = self.bytes.drain(..self.searched + end + END.len()).collect();
            self.searched = 0;
            let event = std::str::from_utf8(&event).map_err(strange)?;
            let of = |field: &'static str| {
                let values =
                    event.lines().filter_map(move |line| line.strip_prefix(field)?.strip_prefix(": "));
                values.collect::<Vec<_>>().join("\n")
            };
            let (name, data) = (of("event"), of("data"));
            if !data.is_empty() {
                return Ok(Some((name, serde_json::from_str(&data).map_err(strange)?)));
            }
        }
        // The last byte may be the first half of an end.
        self.searched = self.bytes.len().saturating_sub(1);
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_server() {
        let check = |url: &str, expect: Option<&str>| {
            let address = Address::parse(url, &Asking::default());
            let hosts = address.ok().map(|address| {
                let hosts: Vec<_> = address.hosts.iter().map(|host| host.authority.clone()).collect();
                hosts.join(" ")
            });
            assert_eq!(hosts.as_deref(), expect, "{url}");
        };
        check("http://127.0.0.1:1/,http://127.0.0.1:2", Some("127.0.0.1:1 127.0.0.1:2"));
        check("http://127.0.0.1:8500", Some("127.0.0.1:8500"));
        check("http://[::1]:8500/", Some("[::1]:8500"));
        for wrong in [
            "127.0.0.1:8500",
            "https://a b:1",
            "http://",
            "http://host",
            "http://host/a:1",
            "http://a@b:1",
            "http://a:1,",
        ] {
            check(wrong, None);
        }
    }

    #[tokio::test]
    async fn the_next_is_asked_when_one_is_away() {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let there = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        // A bound socket that does not listen reserves the port.
        let away = tokio::net::TcpSocket::new_v4().unwrap();
        away.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let [first, second] = [away.local_addr().unwrap(), there.local_addr().unwrap()];
        let address = Address::parse(&format!("http://{first},http://{second}"), &Asking::default()).unwrap();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = there.accept().await.unwrap();
                let read = stream.read(&mut [0; 1024]).await.unwrap();
                assert!(read > 0);
                stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").await.unwrap();
            }
        });
        let asked = address.ask(Method::GET, "/", None).await;
        assert!(matches!(asked, Err(HttpError::Unreachable(_))), "{asked:?}");
        for _ in 0..2 {
            assert_eq!(
                address.clone().ask(Method::GET, "/", None).await.unwrap(),
                Some(serde_json::json!({}))
            );
        }
    }

    #[test]
    fn events_come_in_pieces() {
        let text =
            ":\n\nevent: upsert\ndata: {\"a\":\ndata: 1}\n\n: there\n\nevent: delete\ndata: {}\n\nevent: up";
        for size in [1, 3, text.len()] {
            let (mut buffer, mut events) = (Text::default(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                buffer.bytes.extend_from_slice(piece);
                while let Some((name, data)) = buffer.take_event().unwrap() {
                    events.push(format!("{name} {data}"));
                }
            }
            assert_eq!(events, ["upsert {\"a\":1}", "delete {}"]);
            assert_eq!(buffer.bytes, b"event: up");
        }
        let mut wrong = Text { bytes: b"data: no\n\n".to_vec(), searched: 0 };
        assert!(wrong.take_event().is_err());
    }
}
