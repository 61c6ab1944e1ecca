//! HTTP requests to the servers of the model host, and their replies.

use std::fmt;
use std::time::Duration;

use super::machine::Machine;
use crate::types::value::Secret;
use crate::{HttpError, Method, Tls, Url};

/// A request that a server of the model host received.
///
/// Each followed redirect is a separate one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpCall {
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// The headers as written.
    ///
    /// Their values are not shown.
    pub headers: Vec<(String, Secret<String>)>,
    /// The body.
    pub body: Vec<u8>,
    /// The TLS settings of the request.
    ///
    /// The model has no certificates; a service that requires one checks this.
    pub tls: Tls,
}

impl HttpCall {
    /// Returns the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let entry = self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        entry.map(|(_, value)| value.expose().as_str())
    }
}

/// The reply of a server of the model host, and how it is sent.
///
/// ```
/// use std::time::Duration;
/// use converge_core::system::HttpReply;
///
/// HttpReply::new(201).with_header("Location", "/albums/7").with_body("{}");
/// // It takes its time, and the connection ends after a byte of the two.
/// HttpReply::new(200).with_body("{}").after(Duration::from_secs(5)).cut_after(1);
/// HttpReply::silent();
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct HttpReply {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    pub(super) delay: Duration,
    pub(super) ending: Ending,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// The connection ends after this number of body bytes.
    Cut(usize),
    /// The server is silent after this number of body bytes.
    Silent(usize),
    NoAnswer,
    Failed(HttpError),
}

impl HttpReply {
    /// Creates a reply with this status and no body.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), delay: Duration::ZERO, ending: Ending::Whole }
    }

    /// Creates a reply of a server that accepts the request and stays silent.
    pub fn silent() -> Self {
        Self { ending: Ending::NoAnswer, ..Self::new(0) }
    }

    /// Creates a failed request with this error.
    pub fn failed(error: HttpError) -> Self {
        Self { ending: Ending::Failed(error), ..Self::new(0) }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body.
    ///
    /// A header with its length is added unless there is one.
    pub fn with_body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Delays the reply, by the clock of the model.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Ends the connection after this number of body bytes.
    pub fn cut_after(self, bytes: usize) -> Self {
        Self { ending: Ending::Cut(bytes), ..self }
    }

    /// Sends nothing more after this number of body bytes.
    pub fn silent_after(self, bytes: usize) -> Self {
        Self { ending: Ending::Silent(bytes), ..self }
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let entry = self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        entry.map(|(_, value)| value.as_str())
    }
}

type Answer = dyn Fn(&HttpCall, &mut Machine) -> Option<HttpReply> + Send + Sync;

pub(super) enum Service {
    /// A fixed reply to one request.
    Fixed { method: Method, url: Url, reply: HttpReply },
    /// A function for all requests below a URL.
    Below { base: Url, answer: Box<Answer> },
}

pub(super) struct Served {
    pub(super) reply: HttpReply,
    /// The machine after the request, if the service may have changed it.
    pub(super) changed: Option<Machine>,
    pub(super) is_effect: bool,
}

impl Service {
    pub(super) fn is_on(&self, url: &Url) -> bool {
        let (Self::Fixed { url: own, .. } | Self::Below { base: own, .. }) = self;
        own.same_origin(url)
    }

    /// Answers a request; `None` if the service does not know it.
    pub(super) fn answer(&self, call: &HttpCall, machine: &Machine) -> Option<Served> {
        match self {
            Self::Fixed { method, url, reply } => {
                let is_asked = *method == call.method && *url == call.url;
                let is_effect = !method.is_safe();
                is_asked.then(|| Served { reply: reply.clone(), changed: None, is_effect })
            }
            Self::Below { base, answer } => {
                if !base.same_origin(&call.url) || !call.url.to_string().starts_with(&base.to_string()) {
                    return None;
                }
                let mut after = machine.clone();
                let reply = answer(call, &mut after)?;
                let is_effect = after != *machine;
                Some(Served { reply, changed: Some(after), is_effect })
            }
        }
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Fixed { url, .. } | Self::Below { base: url, .. }) = self;
        write!(f, "Service({url})")
    }
}
