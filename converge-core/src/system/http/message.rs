//! Requests and responses.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use super::{HttpError, Url};
use crate::types::value::Secret;

/// A `GET` request.
#[derive(Clone, Debug)]
pub struct HttpRequest {
    /// What is asked for.
    pub url: Url,
    /// What is sent with it. A redirect to another host gets none of this, as it may be a password.
    pub headers: Vec<(String, Secret<String>)>,
    /// How long a connection may take to be made.
    pub connect_timeout: Duration,
    /// How long the server may send nothing.
    pub inactivity_timeout: Duration,
    /// How much of the body has to come at the least: a server that sends a byte now and then is never silent.
    pub least_rate: LeastRate,
}

/// How much has to come in a while. The time in which nobody waits for the server does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeastRate {
    /// So many bytes; 0 allows any rate.
    pub bytes: u64,
    /// In this time.
    pub within: Duration,
}

impl LeastRate {
    /// So many bytes a second, on the average of a minute.
    pub fn per_second(bytes: u64) -> Self {
        Self { bytes: bytes.saturating_mul(60), within: Duration::from_mins(1) }
    }
}

/// A thousand bytes a second.
impl Default for LeastRate {
    fn default() -> Self {
        Self::per_second(1000)
    }
}

impl HttpRequest {
    /// Asks for `url`; ten seconds to connect, half a minute of silence, and a thousand bytes a second.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            headers: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            inactivity_timeout: Duration::from_secs(30),
            least_rate: LeastRate::default(),
        }
    }

    /// Sends a header with it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value.into())));
        self
    }
}

/// What a server says. The body comes when it is asked for, and dropping it ends the connection.
pub struct HttpResponse {
    /// `200`, `304`, `404`. Redirects have been followed.
    pub status: u16,
    /// Where it comes from, after all redirects.
    pub url: Url,
    /// Names, in lower case, and values. What is no text is left out.
    pub headers: Vec<(String, String)>,
    /// The body, as it was sent: nothing that is compressed is expanded.
    pub body: Box<dyn HttpBody>,
}

impl HttpResponse {
    /// The first header of this name, which is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// How long the body is, as far as the server says.
    pub fn content_length(&self) -> Option<u64> {
        self.header("content-length")?.parse().ok()
    }
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpResponse")
            .field("status", &self.status)
            .field("url", &self.url)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

/// The body of a response.
#[async_trait]
pub trait HttpBody: Send {
    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// The body ends before the length that was promised, or nothing or too little comes for too long.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError>; // with `#[async_trait]` on the `impl`
}
