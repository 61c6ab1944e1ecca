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
}

impl HttpRequest {
    /// Asks for `url`; ten seconds to connect, and half a minute of silence.
    pub fn new(url: Url) -> Self {
        Self {
            url,
            headers: Vec::new(),
            connect_timeout: Duration::from_secs(10),
            inactivity_timeout: Duration::from_secs(30),
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
    /// The body ends before the length that was promised, or nothing comes for too long.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError>;
}
