//! A connection to an HTTP server of the model host, for clients with their own HTTP implementation.
//!
//! Writes trigger the answers: nothing happens in the background.

use std::fmt::Write as _;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::http::{Ending, HttpCall, HttpReply};
use super::servers::Servers;
use crate::types::value::Secret;
use crate::{HttpError, Method, Tls, Url};

/// The maximum size of a request in bytes.
const MOST: usize = 16 << 20;

pub(super) struct HttpStream {
    servers: Servers,
    /// The base URL of request paths.
    base: Url,
    written: Vec<u8>,
    answer: io::Cursor<Vec<u8>>,
    state: State,
    wait: Option<Pin<Box<dyn Future<Output = ()> + Send + Sync>>>,
    reader: Option<Waker>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The connection ends after the answers sent so far.
    Ended,
    Silent,
}

impl HttpStream {
    pub(super) fn new(servers: Servers, base: Url) -> Self {
        Self {
            servers,
            base,
            written: Vec::new(),
            answer: io::Cursor::default(),
            state: State::Open,
            wait: None,
            reader: None,
        }
    }

    fn serve(&mut self) {
        while self.state == State::Open {
            let Some((call, used)) = request(&self.base, &self.written) else { return };
            self.written.drain(..used);
            let is_head = call.as_ref().is_ok_and(|call| call.method == Method::Head);
            let reply = call.and_then(|call| {
                self.servers.remember(&call);
                self.servers.reply(&call)
            });
            match reply {
                Ok(reply) => self.put(&reply, is_head),
                // A failed or invalid request ends the connection.
                Err(_) => self.state = State::Ended,
            }
        }
    }

    fn put(&mut self, reply: &HttpReply, is_head: bool) {
        let HttpReply { status, headers, body, delay, ending } = reply;
        let mut head = format!("HTTP/1.1 {status} Model\r\n");
        for (name, value) in headers {
            // Writing to a string cannot fail.
            let _ = write!(head, "{name}: {value}\r\n");
        }
        if reply.header("content-length").is_none() && *status != 204 && *status != 304 {
            let _ = write!(head, "content-length: {}\r\n", body.len());
        }
        head.push_str("\r\n");
        let body = if is_head { &[][..] } else { body };
        let (length, state) = match ending {
            Ending::Whole => (body.len(), State::Open),
            Ending::Cut(bytes) => (*bytes, State::Ended),
            Ending::Silent(bytes) => (*bytes, State::Silent),
            Ending::NoAnswer => return self.state = State::Silent,
            Ending::Failed(_) => return self.state = State::Ended,
        };
        self.state = state;
        let answer = self.answer.get_mut();
        answer.extend_from_slice(head.as_bytes());
        answer.extend_from_slice(&body[..length.min(body.len())]);
        if !delay.is_zero() {
            let (host, delay) = (self.servers.host.clone(), *delay);
            self.wait = Some(Box::pin(async move { host.sleep(delay).await }));
        }
    }
}

/// Parses a request and returns its length; `None` if it is incomplete.
fn request(base: &Url, bytes: &[u8]) -> Option<(Result<HttpCall, HttpError>, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let mut lines = head.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let headers: Vec<(String, Secret<String>)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), Secret::new(value.trim().to_owned())))
        .collect();
    let find = |name: &str| {
        let entry = headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        entry.map(|(_, value)| value.expose().as_str())
    };
    let (body, used) = if find("transfer-encoding") == Some("chunked") {
        let (body, used) = chunks(&bytes[end..])?;
        (body, end + used)
    } else {
        let length: usize = find("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
        let used = end.checked_add(length)?;
        (bytes.get(end..used)?.to_vec(), used)
    };
    let call = || {
        let method = method.parse().map_err(|_| HttpError::Incomplete)?;
        let url = base.redirect(path).ok_or(HttpError::Incomplete)?;
        Ok(HttpCall { method, url, headers, body, tls: Tls::default() })
    };
    Some((call(), used))
}

/// Parses a chunked body and returns its length; `None` if it is incomplete.
fn chunks(mut rest: &[u8]) -> Option<(Vec<u8>, usize)> {
    let total = rest.len();
    let mut body = Vec::new();
    loop {
        let line = rest.windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&rest[..line]).ok();
        let size = size.and_then(|size| usize::from_str_radix(size, 16).ok()).unwrap_or_default();
        let end = (line + 2).checked_add(size)?;
        body.extend_from_slice(rest.get(line + 2..end)?);
        rest = rest.get(end + 2..)?;
        if size == 0 {
            return Some((body, total - rest.len()));
        }
    }
}

impl AsyncRead for HttpStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(wait) = &mut self.wait {
            ready!(wait.as_mut().poll(cx));
            self.wait = None;
        }
        let before = into.filled().len();
        ready!(Pin::new(&mut self.answer).poll_read(cx, into))?;
        if into.filled().len() > before || self.state == State::Ended {
            return Poll::Ready(Ok(()));
        }
        self.answer = io::Cursor::default();
        self.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl AsyncWrite for HttpStream {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.state == State::Ended || self.written.len() + bytes.len() > MOST {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        self.written.extend_from_slice(bytes);
        self.serve();
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
