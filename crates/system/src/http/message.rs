//! HTTP requests and responses.

use std::fmt;
use std::time::Duration;

use super::body::{HttpBody, RequestBody};
#[cfg(any(test, feature = "http", feature = "testing"))]
use super::method::is_token;
use super::{HttpError, Method, Tls, Url};
use crate::types::value::Secret;

/// A request with its time limits.
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
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The headers.
    ///
    /// They are not sent after a redirect to another host, as they may contain passwords.
    ///
    /// The client sets the length and encoding of the body.
    pub headers: Vec<(String, Secret<String>)>,
    /// The body.
    ///
    /// A redirect that would send it to another host is not followed.
    pub body: RequestBody,
    /// The time limit for the whole request, including redirects and the body; unlimited if `None`.
    pub deadline: Option<Duration>,
    /// The time limit for connecting, and for sending the head of the request.
    pub connect_timeout: Duration,
    /// The maximum time in which the server neither sends nor accepts data.
    pub inactivity_timeout: Duration,
    /// The minimum rate of the body, which ends a server that sends single bytes.
    pub least_rate: LeastRate,
    /// The TLS settings for encrypted connections.
    pub tls: Tls,
    /// Environment variables that select a proxy, which take precedence over those of the machine.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "only a client of HTTP asks a proxy"))]
    pub(crate) variables: Vec<(String, Secret<String>)>,
}

/// A minimum data rate.
///
/// Time in which the client does not wait for the server does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeastRate {
    /// The number of bytes; 0 allows any rate.
    pub bytes: u64,
    /// The time in which the bytes must arrive.
    pub within: Duration,
}

impl LeastRate {
    /// Creates a rate in bytes per second, averaged over a minute.
    pub fn per_second(bytes: u64) -> Self {
        Self { bytes: bytes.saturating_mul(60), within: Duration::from_mins(1) }
    }
}

/// A thousand bytes per second.
impl Default for LeastRate {
    fn default() -> Self {
        Self::per_second(1000)
    }
}

impl HttpRequest {
    /// Creates a `GET` request.
    ///
    /// The defaults are ten seconds to connect, half a minute of inactivity, a thousand bytes per second, and
    /// no deadline.
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

    /// Sets variables that take precedence over those of the machine.
    #[doc(hidden)]
    pub fn with_variables<'a>(self, variables: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let variables = variables.map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned())));
        Self { variables: variables.collect(), ..self }
    }

    /// Adds a header.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), Secret::new(value.into())));
        self
    }

    /// Sets the method.
    pub fn method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Sets the body: text, bytes or an open file.
    pub fn body(self, body: impl Into<RequestBody>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Sets a streamed body; see [`RequestBody::Stream`].
    pub fn stream(self, body: Box<dyn HttpBody>, length: Option<u64>) -> Self {
        Self { body: RequestBody::Stream { body, length }, ..self }
    }

    /// Sets the time limit for the whole request; beyond it is [`HttpError::Timeout`].
    pub fn deadline(self, deadline: Duration) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    #[cfg(any(test, feature = "http", feature = "testing"))]
    pub(crate) fn check_headers(&self) -> Result<(), HttpError> {
        for (name, value) in &self.headers {
            let visible = |byte: u8| byte == b'\t' || (b' '..=b'~').contains(&byte);
            if !is_token(name) || !value.expose().bytes().all(visible) {
                return Err(HttpError::BadHeader(name.clone()));
            }
            // Contradicting information about the end of a request enables request smuggling.
            let reserved_names = ["content-length", "transfer-encoding", "connection"];
            if reserved_names.iter().any(|header| header.eq_ignore_ascii_case(name)) {
                return Err(HttpError::OwnHeader(name.clone()));
            }
        }
        Ok(())
    }
}

/// A response.
///
/// The body is read on demand; dropping it closes the connection.
pub struct HttpResponse {
    /// The status code: `200`, `404`.
    ///
    /// Redirects have been followed.
    pub status: u16,
    /// The URL after all redirects.
    pub url: Url,
    /// The headers, with lower-case names.
    ///
    /// Values that are not text are omitted.
    pub headers: Vec<(String, String)>,
    /// The body as sent: compressed content is not decompressed.
    pub body: Box<dyn HttpBody>,
}

impl HttpResponse {
    /// Returns the first header of this lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(have, _)| have == name).map(|(_, value)| value.as_str())
    }

    /// Returns the response if its status is a success (200 to 299).
    ///
    /// # Errors
    ///
    /// [`HttpError::Status`].
    pub fn success(self) -> Result<Self, HttpError> {
        if (200..300).contains(&self.status) { Ok(self) } else { Err(HttpError::Status(self.status)) }
    }

    /// Reads the whole body, limited to `most` bytes.
    ///
    /// # Errors
    ///
    /// [`HttpError::TooLarge`], and the errors of [`HttpBody::chunk`].
    pub async fn bytes(mut self, maximum: u64) -> Result<Vec<u8>, HttpError> {
        let mut bytes = Vec::new();
        while let Some(chunk) = self.body.chunk().await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > maximum {
                return Err(HttpError::TooLarge(maximum));
            }
        }
        Ok(bytes)
    }

    /// Returns the length of the body, if the server announces it.
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
