//! The client: requests, watches, and failover between servers.

use std::fmt::{self, Display};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use crate::error::{ClientError, InvalidUrl};
use crate::events::{Event, EventParser};
use crate::stream::HyperStream;
use crate::token::Token;
use crate::trust::Credentials;
use crate::url::ServerUrl;

/// The limits of requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The maximum time to connect, with the TLS handshake.
    pub(crate) connect: Duration,
    /// The maximum time for an answer, longer than the server's own limit.
    pub(crate) answer: Duration,
    /// The maximum silence of a watch, in which the server sends a sign of life every 15 seconds.
    pub(crate) silence: Duration,
    /// The maximum size of an answer, and of an event, in bytes.
    pub(crate) bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            answer: Duration::from_secs(45),
            silence: Duration::from_mins(1),
            bytes: 64 << 20,
        }
    }
}

/// A client of a server, or of several servers that share one store.
///
/// Requests go to the server that answered last, and to the next one after a failure. A `GET` that finds a
/// server away is repeated at the others; any other request fails, as its effect is unknown. Redirects are
/// not followed, and proxies are not used, as a proxy may resolve the names of this machine differently.
#[derive(Clone)]
pub struct Client {
    servers: Arc<[ServerUrl]>,
    /// The TLS connector, or `None` if no server uses TLS.
    connector: Option<Arc<RwLock<TlsConnector>>>,
    authorization: Option<HeaderValue>,
    /// The number of times that the client moved on to the next server.
    moves: Arc<AtomicUsize>,
    limits: Limits,
}

/// An answer with a success status.
struct Answer<'a> {
    server: &'a ServerUrl,
    /// The number of moves when the request was sent.
    moves: usize,
    /// The time by which the body must be complete.
    deadline: Instant,
    body: Incoming,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl Client {
    /// Creates a client.
    ///
    /// # Errors
    ///
    /// Fails if there is no server, if a token would be sent in plain text to another machine, or if the
    /// token or the certificate of the client cannot be used.
    pub fn new(
        servers: impl IntoIterator<Item = ServerUrl>,
        credentials: &Credentials,
    ) -> Result<Self, ClientError> {
        let servers: Arc<[ServerUrl]> = servers.into_iter().collect();
        if servers.is_empty() {
            return Err(ClientError::Url { url: String::new(), error: InvalidUrl });
        }
        if credentials.token.is_some()
            && let Some(url) = servers.iter().find(|server| !server.protects_token())
        {
            return Err(ClientError::Plain { url: url.to_string() });
        }
        let authorization = credentials.token.as_ref().map(Token::to_header).transpose();
        let authorization = authorization.map_err(hyper::http::Error::from)?;
        // Loading the authorities that a machine trusts takes time, and plain HTTP does not need them.
        let uses_tls = servers.iter().any(|server| server.name().is_some());
        let connector = uses_tls.then(|| connector(credentials)).transpose()?;
        let connector = connector.map(|connector| Arc::new(RwLock::new(connector)));
        Ok(Self { servers, connector, authorization, moves: Arc::default(), limits: Limits::default() })
    }

    #[cfg(test)]
    pub(crate) fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Replaces the authorities and the certificate of the client for new requests.
    ///
    /// Requests in progress continue. The token stays.
    ///
    /// # Errors
    ///
    /// Fails if the certificate cannot be used.
    pub fn reload_tls(&self, credentials: &Credentials) -> Result<(), ClientError> {
        if let Some(known) = &self.connector {
            *known.write().unwrap_or_else(PoisonError::into_inner) = connector(credentials)?;
        }
        Ok(())
    }

    /// Sends a request, and returns the body of the answer.
    ///
    /// # Errors
    ///
    /// Fails without an answer, and with an answer that has an error status.
    pub async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Bytes, ClientError> {
        let answer = self.answer(method, path, body).await?;
        let read = timeout_at(answer.deadline, self.read(answer.server, answer.body)).await;
        self.check(answer.moves, read.unwrap_or_else(|_| Err(self.late(answer.server))))
    }

    /// Sends a request, and returns the answer parsed from JSON.
    ///
    /// # Errors
    ///
    /// Fails like [`request`](Self::request), and if the answer is not such JSON.
    pub async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<T, ClientError> {
        let answer = self.request(method, path, body).await?;
        serde_json::from_slice(&answer).map_err(|error| self.strange(&error))
    }

    /// Sends a request, and returns the answer as JSON, or `None` if it is empty or not found.
    ///
    /// # Errors
    ///
    /// Fails like [`json`](Self::json).
    pub async fn find(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Value>, ClientError> {
        match self.request(method, path, body).await {
            Err(error) if error.status() == Some(StatusCode::NOT_FOUND) => Ok(None),
            Ok(answer) if answer.is_empty() => Ok(None),
            answer => serde_json::from_slice(&answer?).map(Some).map_err(|error| self.strange(&error)),
        }
    }

    /// Returns the text at a path.
    ///
    /// # Errors
    ///
    /// Fails like [`request`](Self::request), and if the answer is not UTF-8.
    pub async fn text(&self, path: &str) -> Result<String, ClientError> {
        let answer = self.request(Method::GET, path, None).await?;
        String::from_utf8(answer.into()).map_err(|error| self.strange(&error))
    }

    /// Starts a watch.
    ///
    /// # Errors
    ///
    /// Fails like [`request`](Self::request).
    pub async fn watch(&self, path: &str) -> Result<Watch, ClientError> {
        let Answer { server, body, .. } = self.answer(Method::GET, path, None).await?;
        Ok(Watch { url: server.to_string(), body, parser: EventParser::default(), limits: self.limits })
    }

    /// Creates the error of an answer whose content makes no sense to the caller.
    pub fn strange(&self, problem: &dyn Display) -> ClientError {
        ClientError::strange(self.current().0.as_str(), problem.to_string())
    }

    fn late(&self, server: &ServerUrl) -> ClientError {
        ClientError::Late { url: server.to_string(), seconds: self.limits.answer.as_secs() }
    }

    /// Returns the current server, and the number of moves so far.
    fn current(&self) -> (&ServerUrl, usize) {
        let moves = self.moves.load(Ordering::Relaxed);
        (&self.servers[moves % self.servers.len()], moves)
    }

    /// Moves on to the next server if the answer failed, unless another request has done so since `moves`.
    fn check<T>(&self, moves: usize, answer: Result<T, ClientError>) -> Result<T, ClientError> {
        if answer.as_ref().is_err_and(ClientError::is_away) {
            let next = moves.wrapping_add(1);
            let _ = self.moves.compare_exchange(moves, next, Ordering::Relaxed, Ordering::Relaxed);
        }
        answer
    }

    /// Sends a request and waits for the head of an answer with a success status.
    async fn answer(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Answer<'_>, ClientError> {
        let mut others = if method == Method::GET { self.servers.len() - 1 } else { 0 };
        loop {
            let (server, moves) = self.current();
            let deadline = Instant::now() + self.limits.answer;
            let answer = async {
                let response = self.send(server, method.clone(), path, body).await?;
                let status = response.status();
                if status.is_success() {
                    return Ok(response.into_body());
                }
                let body = self.read(server, response.into_body()).await?;
                Err(ClientError::from_status(server.as_str(), status, &body))
            };
            let answer = timeout_at(deadline, answer).await.unwrap_or_else(|_| Err(self.late(server)));
            match self.check(moves, answer) {
                Err(error) if error.is_away() && others > 0 => others -= 1,
                answer => return answer.map(|body| Answer { server, moves, deadline, body }),
            }
        }
    }

    /// Connects to a server and sends a request.
    async fn send(
        &self,
        server: &ServerUrl,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response<Incoming>, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, server.authority())
            .header(USER_AGENT, concat!("converge/", env!("CARGO_PKG_VERSION")));
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization);
        }
        let request = request.body(Full::new(Bytes::from(body.map(Value::to_string).unwrap_or_default())))?;
        let seconds = self.limits.connect.as_secs();
        let slow = |_| ClientError::Unreachable {
            url: server.to_string(),
            problem: format!("no connection within {seconds} s"),
        };
        let mut sender = timeout(self.limits.connect, self.connect(server)).await.map_err(slow)??;
        let answer = sender.send_request(request).await;
        answer.map_err(|error| ClientError::from_transport(server.as_str(), &error))
    }

    async fn connect(&self, server: &ServerUrl) -> Result<SendRequest<Full<Bytes>>, ClientError> {
        let failed = |error: std::io::Error| ClientError::from_transport(server.as_str(), &error);
        let stream = TcpStream::connect(server.address()).await.map_err(failed)?;
        let known = self.connector.as_ref();
        let connector = known.map(|known| known.read().unwrap_or_else(PoisonError::into_inner).clone());
        let connection = match (server.name(), connector) {
            (Some(name), Some(connector)) => {
                open(connector.connect(name.clone(), stream).await.map_err(failed)?).await
            }
            _ => open(stream).await,
        };
        connection.map_err(|error| ClientError::from_transport(server.as_str(), &error))
    }

    /// Reads a whole body.
    async fn read(&self, server: &ServerUrl, body: Incoming) -> Result<Bytes, ClientError> {
        let body = Limited::new(body, self.limits.bytes).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                let problem = format!("it answers with more than {} bytes", self.limits.bytes);
                ClientError::strange(server.as_str(), problem)
            } else {
                ClientError::from_transport(server.as_str(), &*error)
            }
        });
        Ok(body?.to_bytes())
    }
}

fn connector(credentials: &Credentials) -> Result<TlsConnector, ClientError> {
    Ok(TlsConnector::from(Arc::new(credentials.tls_config()?)))
}

/// Opens an HTTP connection on a stream.
async fn open<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
) -> hyper::Result<SendRequest<Full<Bytes>>> {
    let (sender, connection) = http1::handshake(HyperStream(stream)).await?;
    // The task ends with the answer, or when the answer is dropped.
    tokio::spawn(connection);
    Ok(sender)
}

/// A stream of server-sent events.
#[derive(Debug)]
pub struct Watch {
    url: String,
    body: Incoming,
    parser: EventParser,
    limits: Limits,
}

impl Watch {
    /// Returns the next event.
    ///
    /// # Errors
    ///
    /// Fails when the connection ends or is silent for too long, with an `error` event, and if an event
    /// cannot be understood. Continue with a new watch then.
    pub async fn next(&mut self) -> Result<Event, ClientError> {
        loop {
            match self.parser.take() {
                Ok(Some(event)) if event.name == "error" => {
                    return Err(ClientError::from_event(&self.url, &event.data));
                }
                Ok(Some(event)) => return Ok(event),
                Ok(None) => {}
                Err(error) => return Err(self.strange(&error)),
            }
            if self.parser.len() > self.limits.bytes {
                return Err(
                    self.strange(&format!("it sends an event of more than {} bytes", self.limits.bytes))
                );
            }
            let silent = |_| ClientError::Silent { seconds: self.limits.silence.as_secs() };
            match timeout(self.limits.silence, self.body.frame()).await.map_err(silent)? {
                None | Some(Err(_)) => return Err(ClientError::Ended),
                Some(Ok(frame)) => self.parser.push(frame.data_ref().map_or(&[], |data| data)),
            }
        }
    }

    /// Creates the error of an event whose content makes no sense to the caller.
    pub fn strange(&self, problem: &dyn Display) -> ClientError {
        ClientError::strange(&self.url, problem.to_string())
    }
}
