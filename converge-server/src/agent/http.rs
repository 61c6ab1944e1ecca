//! One request after the other, to a server on this machine.

use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(40);
/// How long an answer may be.
const MOST_BYTES: usize = 64 << 20;
/// How long a watch may be silent: the server says every 15 seconds that it is there.
const SILENCE: Duration = Duration::from_mins(1);

/// Why a request came to nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("{0} is no server: write it like http://127.0.0.1:8500")]
    Url(String),
    #[error("it does not answer: {0}")]
    Unreachable(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("it does not answer in time")]
    Late,
    #[error("it refuses with {status}: {message}")]
    Refused { status: StatusCode, message: String },
    #[error("what it says is not understood: {0}")]
    Strange(String),
}

impl HttpError {
    fn unreachable(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Unreachable(error.into())
    }
}

/// Where a server is.
#[derive(Clone, Debug)]
pub(super) struct Address(String);

impl Address {
    pub(super) fn parse(url: &str) -> Result<Self, HttpError> {
        let wrong = || HttpError::Url(url.to_owned());
        let host = url.strip_prefix("http://").ok_or_else(wrong)?.trim_end_matches('/');
        let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        if !matches!(port, Some(Ok(_))) || host.contains(['/', '?', '#', '@']) {
            return Err(wrong());
        }
        Ok(Self(host.to_owned()))
    }

    /// Asks, and gives the answer as JSON: none where there is nothing, or nothing is said.
    pub(super) async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Option<Value>, HttpError> {
        let asked = async {
            let answer = self.send(method, path, body).await?;
            let status = answer.status();
            let body = Limited::new(answer.into_body(), MOST_BYTES).collect().await;
            let body = body.map_err(HttpError::Unreachable)?.to_bytes();
            match status {
                StatusCode::NOT_FOUND | StatusCode::NO_CONTENT => Ok(None),
                status if status.is_success() => serde_json::from_slice(&body).map(Some).map_err(strange),
                status => Err(refused(status, &body)),
            }
        };
        timeout(ANSWER, asked).await.unwrap_or(Err(HttpError::Late))
    }

    /// Begins to watch.
    pub(super) async fn watch(&self, path: &str) -> Result<Watch, HttpError> {
        let answer =
            timeout(ANSWER, self.send(Method::GET, path, None)).await.unwrap_or(Err(HttpError::Late))?;
        let status = answer.status();
        let body = answer.into_body();
        if !status.is_success() {
            let said = timeout(ANSWER, Limited::new(body, MOST_BYTES).collect()).await;
            let said = said.map_err(|_| HttpError::Late)?.map_err(HttpError::Unreachable)?.to_bytes();
            return Err(refused(status, &said));
        }
        Ok(Watch { body, text: Text::default() })
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Response<Incoming>, HttpError> {
        let stream = TcpStream::connect(&self.0).await.map_err(HttpError::unreachable)?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(HttpError::unreachable)?;
        // It ends with the answer, or when that is dropped.
        tokio::spawn(connection);
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, &self.0)
            .header(CONTENT_TYPE, "application/json")
            .body(Full::new(Bytes::from(body)))
            .map_err(HttpError::unreachable)?;
        sender.send_request(request).await.map_err(HttpError::unreachable)
    }
}

fn strange(error: impl std::error::Error) -> HttpError {
    HttpError::Strange(error.to_string())
}

fn refused(status: StatusCode, body: &[u8]) -> HttpError {
    let said: Value = serde_json::from_slice(body).unwrap_or_default();
    let message = said["error"]["message"].as_str().unwrap_or("it does not say why").to_owned();
    HttpError::Refused { status, message }
}

/// Events of a server, as they come.
#[derive(Debug)]
pub(super) struct Watch {
    body: Incoming,
    text: Text,
}

/// What has come of events that are not whole.
#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    /// So many bytes hold no end of an event.
    searched: usize,
}

impl Watch {
    /// The name and the JSON of the next event; none when the server has ended.
    pub(super) async fn next(&mut self) -> Result<Option<(String, Value)>, HttpError> {
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
    /// Takes out the first event, if one is whole. What only says that the server is there is none.
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
        // The first byte of an end may have come.
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
            assert_eq!(Address::parse(url).ok().map(|address| address.0).as_deref(), expect, "{url}");
        };
        check("http://127.0.0.1:8500", Some("127.0.0.1:8500"));
        check("http://[::1]:8500/", Some("[::1]:8500"));
        for wrong in [
            "127.0.0.1:8500",
            "https://127.0.0.1:8500",
            "http://",
            "http://host",
            "http://host/a:1",
            "http://a@b:1",
        ] {
            check(wrong, None);
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
