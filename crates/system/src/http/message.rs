//! Requests and responses.

use std::fmt;
use std::time::Duration;

use super::body::{HttpBody, RequestBody};
#[cfg(any(test, feature = "http", feature = "testing"))]
use super::method::is_token;
use super::{HttpError, Method, Tls, Url};
use crate::types::value::Secret;

/// A request, with how long is waited for its answer.
///
/// ```
/// use std::time::Duration;
/// use converge_core::system::{HttpRequest, Method};
///
/// let url = "https://example.com/albums/7".parse()?;
/// let request = HttpRequest::new(url)
///     .method(Method::Put)
///     .header("Content-Type", "application/json")
///     .header("Authorization", "Bearer ..")
///     .body(r#"{"title": "Blue"}"#)
///     .deadline(Duration::from_secs(20));
/// # let _ = request;
/// # Ok::<(), converge_core::system::UrlError>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct HttpRequest {
    /// What is to be done.
    pub method: Method,
    /// With what.
    pub url: Url,
    /// What is sent with it. A redirect to another host gets none of this, as it may be a password. How long the body is, and how it
    /// is sent, is written by the client.
    pub headers: Vec<(String, Secret<String>)>,
    /// What is sent. A redirect to another host is not followed with it.
    pub body: RequestBody,
    /// How long all of it may take, redirects and the body of the answer included; no limit when `None`.
    pub deadline: Option<Duration>,
    /// How long a connection may take to be made, and the head of the request to be sent.
    pub connect_timeout: Duration,
    /// How long the server may send nothing, and take nothing.
    pub inactivity_timeout: Duration,
    /// How much of the body has to come at the least: a server that sends a byte now and then is never silent.
    pub least_rate: LeastRate,
    /// How both sides prove who they are, where the connection is encrypted.
    pub tls: Tls,
    /// Variables that say which proxy is asked, where they do, in the place of those of the machine.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a client of HTTP asks a proxy"))]
    pub(crate) variables: Vec<(String, Secret<String>)>,
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
    /// Asks for what is at `url`; ten seconds to connect, half a minute of silence, a thousand bytes a second, and no other end.
    pub fn new(url: Url) -> Self {
        Self {
            method: Method::Get,
            url,
            headers: Vec::new(),
            body: RequestBody::Empty,
            deadline: None,
            connect_timeout: Duration::from_secs(10),
            inactivity_timeout: Duration::from_secs(30),
            least_rate: LeastRate::default(),
            tls: Tls::default(),
            variables: Vec::new(),
        }
    }

    /// Has these variables before those of the machine.
    #[doc(hidden)]
    pub fn with_variables<'a>(self, variables: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let variables = variables.map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned())));
        Self { variables: variables.collect(), ..self }
    }

    /// Sends a header with it.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value.into())));
        self
    }

    /// Asks for something else than what is there.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Sends text, bytes, or a file that is open.
    pub fn body(self, body: impl Into<RequestBody>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Sends pieces as they come: see [`RequestBody::Stream`].
    pub fn stream(self, body: Box<dyn HttpBody>, length: Option<u64>) -> Self {
        Self { body: RequestBody::Stream { body, length }, ..self }
    }

    /// Ends all of it after so much time: [`HttpError::Timeout`].
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// Refuses headers that cannot be sent.
    #[cfg(any(test, feature = "http", feature = "testing"))]
    pub(crate) fn check_headers(&self) -> Result<(), HttpError> {
        for (name, value) in &self.headers {
            let visible = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
            if !is_token(name) || !value.expose().bytes().all(visible) {
                return Err(HttpError::BadHeader(name.clone()));
            }
            // Two opinions about where a request ends are how another one is smuggled in.
            let own = ["content-length", "transfer-encoding", "connection"];
            if own.iter().any(|own| own.eq_ignore_ascii_case(name)) {
                return Err(HttpError::OwnHeader(name.clone()));
            }
        }
        Ok(())
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

    /// The response itself, when its status says that it worked (200 to 299).
    ///
    /// # Errors
    ///
    /// [`HttpError::Status`].
    pub fn success(self) -> Result<Self, HttpError> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(HttpError::Status(self.status)) }
    }

    /// All of the body, which may have at most so many bytes.
    ///
    /// # Errors
    ///
    /// [`HttpError::TooLarge`], and what [`HttpBody::chunk`] says.
    pub async fn bytes(mut self, most: u64) -> Result<Vec<u8>, HttpError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.body.chunk().await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > most {
                return Err(HttpError::TooLarge(most));
            }
        }
        Ok(bytes)
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
