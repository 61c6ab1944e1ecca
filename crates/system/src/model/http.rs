//! What servers of the model are asked, and what they answer.

use std::fmt;
use std::time::Duration;

use super::machine::Machine;
use crate::types::value::Secret;
use crate::{HttpError, Method, Tls, Url};

/// A request that a server of the model got. Each redirect that was followed is one of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpCall {
    /// What was asked for.
    pub method: Method,
    /// Of what.
    pub url: Url,
    /// The headers that were sent, as they were written. Their values are not shown.
    pub headers: Vec<(String, Secret<String>)>,
    /// What was sent.
    pub body: Vec<u8>,
    /// How both sides were to prove who they are. The model has no certificates: a service that wants one looks here.
    pub tls: Tls,
}

impl HttpCall {
    /// The value of the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.expose().as_str())
    }
}

/// What a server of the model says to a request, and how it does that.
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

/// How a reply ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// The connection ends after so many bytes of the body.
    Cut(usize),
    /// Nothing more comes after so many bytes of the body.
    Silent(usize),
    /// There is no answer at all.
    NoAnswer,
    Failed(HttpError),
}

impl HttpReply {
    /// An answer with this status and no body.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), delay: Duration::ZERO, ending: Ending::Whole }
    }

    /// No answer: the server takes the request and is silent.
    pub fn silent() -> Self {
        Self { ending: Ending::NoAnswer, ..Self::new(0) }
    }

    /// No answer, for this reason.
    pub fn failed(error: HttpError) -> Self {
        Self { ending: Ending::Failed(error), ..Self::new(0) }
    }

    /// Adds a header.
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// With this body, and a header with its length unless there is one.
    pub fn with_body(self, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..self }
    }

    /// Comes after so much time, by the clock of the model.
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The connection ends after so many bytes of the body.
    pub fn cut_after(self, bytes: usize) -> Self {
        Self { ending: Ending::Cut(bytes), ..self }
    }

    /// After so many bytes of the body nothing more comes.
    pub fn silent_after(self, bytes: usize) -> Self {
        Self { ending: Ending::Silent(bytes), ..self }
    }

    /// The first header of this name.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

type Answer = dyn Fn(&HttpCall, &mut Machine) -> Option<HttpReply> + Send + Sync;

/// What answers requests.
pub(super) enum Service {
    /// Always the same to one request.
    Fixed { method: Method, url: Url, reply: HttpReply },
    /// A function answers all that is asked below a URL.
    Below { base: Url, answer: Box<Answer> },
}

/// What a service says.
pub(super) struct Served {
    pub(super) reply: HttpReply,
    /// The machine after a request that changed it.
    pub(super) changed: Option<Machine>,
    pub(super) is_effect: bool,
}

impl Service {
    /// Whether this is on the server of a URL.
    pub(super) fn is_on(&self, url: &Url) -> bool {
        let (Self::Fixed { url: own, .. } | Self::Below { base: own, .. }) = self;
        own.same_origin(url)
    }

    /// `None` to what this service does not know.
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
