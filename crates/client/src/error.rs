//! The error type of requests to a server.

use std::error::Error;

use hyper::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use converge_core::debug_as_text;

/// The reason why a text is not the URL of a server.
#[derive(Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write it like http://127.0.0.1:8500 or https://HOST:8500")]
pub struct InvalidUrl;

debug_as_text!(InvalidUrl);

/// A reason why a server gave no usable answer.
#[derive(thiserror::Error)]
pub enum ClientError {
    /// The text is not the URL of a server.
    #[error("{url} is not the URL of a server: {error}")]
    Url {
        /// The text.
        url: String,
        /// The mistake in the URL.
        error: InvalidUrl,
    },
    /// No connection was made, or it broke before the end of the answer.
    #[error("no server answers at {url} ({problem})")]
    Unreachable {
        /// The URL of the server.
        url: String,
        /// The error of the connection.
        problem: String,
    },
    /// A token would be sent in plain text to another machine.
    #[error("{url} is another machine, and the token would be sent unencrypted: use https://")]
    Plain {
        /// The URL of the server.
        url: String,
    },
    /// The certificate of the server is not valid, or its authority is not trusted.
    #[error("the certificate of the server at {url} is not trusted ({problem})")]
    Untrusted {
        /// The URL of the server.
        url: String,
        /// The mistake in the certificate.
        problem: String,
    },
    /// The certificate of the client, or the TLS configuration, cannot be used.
    #[error("TLS cannot be used: {0}")]
    Tls(#[from] rustls::Error),
    /// The token or the path cannot be part of a request.
    #[error("the request cannot be sent: {0}")]
    Request(#[from] hyper::http::Error),
    /// The server refuses the request, and says why.
    #[error("the server at {} refuses: {}", .0.url, .0.message)]
    Refused(Refusal),
    /// The answer has an error status without an error of a Converge server.
    #[error("the server at {url} is not a converge server: it answers {status}")]
    Status {
        /// The URL of the server.
        url: String,
        /// The status of the answer.
        status: StatusCode,
    },
    /// The listener at the URL does not speak HTTP.
    #[error("the server at {url} is not a converge server: {problem}")]
    NotHttp {
        /// The URL of the server.
        url: String,
        /// The mistake in the answer.
        problem: String,
    },
    /// The answer cannot be understood.
    #[error("the server at {url} is not a converge server: {problem}")]
    Strange {
        /// The URL of the server.
        url: String,
        /// The mistake in the answer.
        problem: String,
    },
    /// The answer did not come in time.
    #[error("the server at {url} does not answer within {seconds} s")]
    Late {
        /// The URL of the server.
        url: String,
        /// The time that the answer may take.
        seconds: u64,
    },
    /// A watch received nothing, not even a sign of life.
    #[error("the server sent nothing for {seconds} s")]
    Silent {
        /// The time that a watch may be silent.
        seconds: u64,
    },
    /// The connection of a watch ended.
    #[error("the connection to the server was closed")]
    Ended,
}

debug_as_text!(ClientError);

/// The refusal of a request by the server.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The URL of the server.
    pub url: String,
    /// The status of the answer, or `None` if the refusal is an event of a watch.
    pub status: Option<StatusCode>,
    /// The error code, for programs.
    pub code: String,
    /// The message, for people.
    pub message: String,
    /// The mistakes in the body of the request.
    pub problems: Vec<Problem>,
}

/// A mistake at a path in the body of a request.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Problem {
    /// The path from the root of the body.
    pub path: Vec<PathStep>,
    /// The message.
    pub message: String,
}

/// A step on the path to a part of a JSON value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum PathStep {
    /// A field of an object.
    Name(String),
    /// An item of a list.
    Index(usize),
}

/// The body of an error response.
#[derive(Deserialize)]
struct ErrorBody {
    error: ErrorDetail,
}

#[derive(Deserialize)]
struct ErrorDetail {
    code: String,
    message: String,
    #[serde(default)]
    problems: Vec<Problem>,
}

impl Refusal {
    /// Parses the error in a body or an event; `None` if there is none.
    pub(crate) fn new(url: &str, status: Option<StatusCode>, body: &[u8]) -> Option<Self> {
        let ErrorBody { error: ErrorDetail { code, message, problems } } =
            serde_json::from_slice(body).ok()?;
        Some(Self { url: url.to_owned(), status, code, message, problems })
    }
}

impl ClientError {
    /// Returns the advice for users of a command, with its separator, or an empty text.
    ///
    /// It names options and variables of the commands, so it is of no use in a log.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => {
                ": start one with `converge server --dev`, or name another with --server"
            }
            Self::Untrusted { .. } => ": give its authority with --ca",
            Self::Refused(Refusal { code, .. }) if code == "unauthenticated" => {
                "; give one in CONVERGE_TOKEN or --token-file"
            }
            _ => "",
        }
    }

    /// Returns the status of the answer, if there was an answer with an error status.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Refused(refusal) => refusal.status,
            Self::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether this server is of no use now, so that another one has to answer, or the same one later.
    pub fn is_away(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Untrusted { .. } | Self::NotHttp { .. } | Self::Late { .. } => {
                true
            }
            Self::Refused(refusal) => refusal.status == Some(StatusCode::SERVICE_UNAVAILABLE),
            // A proxy gives these while the server behind it is away.
            Self::Status { status, .. } => {
                [StatusCode::BAD_GATEWAY, StatusCode::SERVICE_UNAVAILABLE, StatusCode::GATEWAY_TIMEOUT]
                    .contains(status)
            }
            _ => false,
        }
    }

    /// Whether a retry of the same request may succeed.
    pub fn is_transient(&self) -> bool {
        let may_pass = |status: StatusCode| {
            status.is_server_error()
                || [StatusCode::CONFLICT, StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS]
                    .contains(&status)
        };
        match self {
            Self::Unreachable { .. }
            | Self::NotHttp { .. }
            | Self::Late { .. }
            | Self::Silent { .. }
            | Self::Ended => true,
            Self::Refused(Refusal { status: None, code, .. }) => {
                matches!(&**code, "aborted" | "unavailable" | "deadline_exceeded")
            }
            error => error.status().is_some_and(may_pass),
        }
    }

    /// Converts an error of the connection or of the body.
    pub(crate) fn from_transport(url: &str, error: &(dyn Error + 'static)) -> Self {
        let url = url.to_owned();
        let problem = chain(error);
        if is_in_chain(error, |error| {
            matches!(error.downcast_ref(), Some(rustls::Error::InvalidCertificate(_)))
        }) {
            return Self::Untrusted { url, problem };
        }
        if is_in_chain(error, |error| error.downcast_ref().is_some_and(hyper::Error::is_parse)) {
            Self::NotHttp { url, problem }
        } else {
            Self::Unreachable { url, problem }
        }
    }

    /// Creates the error of an answer with an error status.
    pub(crate) fn from_status(url: &str, status: StatusCode, body: &[u8]) -> Self {
        match Refusal::new(url, Some(status), body) {
            Some(refusal) => Self::Refused(refusal),
            None => Self::Status { url: url.to_owned(), status },
        }
    }

    /// Creates the error of an `error` event in a watch.
    pub(crate) fn from_event(url: &str, data: &Value) -> Self {
        match Refusal::new(url, None, data.to_string().as_bytes()) {
            Some(refusal) => Self::Refused(refusal),
            None => Self::strange(url, "an event reports an error without a message".to_owned()),
        }
    }

    pub(crate) fn strange(url: &str, problem: String) -> Self {
        Self::Strange { url: url.to_owned(), problem }
    }
}

/// Returns the message of an error with those of its sources.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let message = error.to_string();
        // Some errors repeat their source.
        if !text.ends_with(&message) {
            text = format!("{text}: {message}");
        }
        source = error.source();
    }
    text
}

/// Whether an error or one of its sources matches.
fn is_in_chain(error: &(dyn Error + 'static), is_match: impl Fn(&(dyn Error + 'static)) -> bool) -> bool {
    let mut current = Some(error);
    while let Some(error) = current {
        // The source of an I/O error is that of the wrapped error, not the wrapped error itself.
        let inner = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        if is_match(error) || inner.is_some_and(|inner| is_match(inner)) {
            return true;
        }
        current = error.source();
    }
    false
}
