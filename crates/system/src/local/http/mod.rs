//! HTTP requests of the local system, made on blocking threads.

#[cfg(test)]
mod bodies;
mod rate_window;
mod request_body;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tls;

use std::future::{Future, poll_fn};
use std::io::{self, Read as _};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use ureq::Body;
use ureq::http::Response;

use self::rate_window::Window;
use crate::http::client::{self, Connection, Hangup, Limits, PlainHttp, Proxies};
use crate::http::proxy;
use crate::http::redirect::Hop;
use crate::http::{HttpBody, HttpError, HttpRequest, HttpResponse};

/// The number of body bytes that are handed over at once.
const CHUNK: usize = 64 * 1024;

/// The number of chunks that are read ahead.
const AHEAD: usize = 4;

/// The HTTP client, created at the first request, as reading the certificates is slow.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalClient {
    client: Arc<OnceLock<client::Client>>,
    /// Whether the proxies in the environment are ignored.
    hides_env: bool,
}

/// The body received by the thread.
///
/// Dropping it closes the connection, which unblocks the thread.
struct BodyChunks {
    chunks: mpsc::Receiver<Result<Vec<u8>, HttpError>>,
    window: Window,
    deadline: Deadline,
    _hangup: Hangup,
}

#[derive(Clone, Copy)]
struct Deadline(Option<(Instant, Duration)>);

impl Deadline {
    fn after(time: Option<Duration>) -> Self {
        Self(time.and_then(|time| Some((Instant::now().checked_add(time)?, time))))
    }

    /// Runs the work, and gives up after the deadline.
    async fn end<T>(self, work: impl Future<Output = Result<T, HttpError>>) -> Result<T, HttpError> {
        match self.0 {
            None => work.await,
            Some((at, time)) => {
                tokio::time::timeout_at(at, work).await.unwrap_or(Err(HttpError::Timeout(time)))
            }
        }
    }
}

impl LocalClient {
    pub(super) fn new(hides_env: bool) -> Self {
        Self { hides_env, ..Self::default() }
    }

    pub(super) async fn request(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        request.check_headers()?;
        let deadline = Deadline::after(request.deadline);
        deadline.end(self.ask(request, deadline)).await
    }

    async fn ask(&self, request: HttpRequest, deadline: Deadline) -> Result<HttpResponse, HttpError> {
        let client = Arc::clone(&self.client);
        let proxy = proxy::ProxySettings::from_variables(&request.variables, self.hides_env);
        let proxies = if self.hides_env { Proxies::Never } else { Proxies::Environment };
        let limits = Limits {
            connect: request.connect_timeout,
            inactivity: Some(request.inactivity_timeout),
            // The thread also ends by itself.
            total: request.deadline,
        };
        let HttpRequest { method, url, headers, body, least_rate, tls, .. } = request;
        let result = tokio::task::spawn_blocking(move || {
            let client = client.get_or_init(|| client::Client::new(proxies));
            let connection = client.connection_with(&tls, limits, PlainHttp::Anywhere)?;
            Ok(connection.through(proxy))
        });
        let connection = result.await.map_err(|error| HttpError::Failed(error.to_string()))??;
        let hangup = connection.hangup();
        let window = Window::new(least_rate);
        let (answer, answered) = oneshot::channel();
        let (chunks, receiver) = mpsc::channel(AHEAD);
        let (mut sent, feed) = request_body::halves(body);
        tokio::task::spawn_blocking(move || {
            let headers_for = |hop: &Hop| {
                let headers = headers.iter().filter(|(name, _)| hop.sends(&url, name));
                headers.map(|(name, value)| (name.clone(), value.expose().clone())).collect()
            };
            match connection.ask(&method, &url, headers_for, &mut sent) {
                Ok((at, response)) => {
                    let (parts, body) = response.into_parts();
                    // Without a receiver of the response, the body is not read.
                    if answer.send(Ok((at, Response::from_parts(parts, ())))).is_ok() {
                        hand_over(&connection, body, &chunks);
                    }
                }
                Err(error) => drop(answer.send(Err(error))),
            }
        });
        let (url, response) = beside(feed, answered).await.map_err(|_| HttpError::Incomplete)??;
        let text = |value: &ureq::http::HeaderValue| value.to_str().ok().map(str::to_owned);
        let headers = response.headers().iter();
        Ok(HttpResponse {
            status: response.status().as_u16(),
            url,
            headers: headers.filter_map(|(name, value)| Some((name.to_string(), text(value)?))).collect(),
            body: Box::new(BodyChunks { chunks: receiver, window, deadline, _hangup: hangup }),
        })
    }
}

/// Waits for the response while feeding the body of the request.
async fn beside<T>(feed: Option<request_body::Feed>, answered: impl Future<Output = T>) -> T {
    let mut answered = pin!(answered);
    let Some(feed) = feed else { return answered.await };
    let mut feed = pin!(feed.run());
    let mut is_done = false;
    poll_fn(|cx| {
        is_done = is_done || feed.as_mut().poll(cx).is_ready();
        answered.as_mut().poll(cx)
    })
    .await
}

/// Reads the body to its end, or until its receiver is dropped.
fn hand_over(connection: &Connection, body: Body, chunks: &mpsc::Sender<Result<Vec<u8>, HttpError>>) {
    let mut body = body.into_reader();
    loop {
        let mut chunk = vec![0; CHUNK];
        let read = match body.read(&mut chunk) {
            Ok(0) => return,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                // The receiver may be gone.
                let _ = chunks.blocking_send(Err(connection.failed(error.into())));
                return;
            }
        };
        chunk.truncate(read);
        if chunks.blocking_send(Ok(chunk)).is_err() {
            return;
        }
    }
}

#[async_trait]
impl HttpBody for BodyChunks {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        let deadline = self.deadline;
        deadline.end(self.next()).await
    }
}

impl BodyChunks {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, HttpError> {
        loop {
            let began = Instant::now();
            let received = match self.window.left() {
                Some(left) => tokio::time::timeout(left, self.chunks.recv()).await,
                None => Ok(self.chunks.recv().await),
            };
            let count = match &received {
                Ok(None | Some(Err(_))) => return received.unwrap_or_default().transpose(),
                Ok(Some(Ok(chunk))) => chunk.len() as u64,
                Err(_) => 0,
            };
            self.window.add(began.elapsed(), count)?;
            if let Ok(chunk) = received {
                return chunk.transpose();
            }
        }
    }
}
