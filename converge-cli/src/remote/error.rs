//! Errors of requests to a server.

use serde::Deserialize;

use crate::document::Step;

/// A failed request to a server.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    #[error(
        "no server answers at {url} ({problem}): start one with `converge server --dev`, or name another with --server"
    )]
    Unreachable { url: String, problem: String },
    #[error("{url} is another machine, and the token would be sent unencrypted: use https://")]
    Plain { url: String },
    #[error(
        "the certificate of the server at {url} is not trusted ({problem}): give its authority with --ca"
    )]
    Untrusted { url: String, problem: String },
    #[error("{}{}", .0.message, .0.hint())]
    Refused(Refusal),
    #[error("the server at {url} is not a converge server: {problem}")]
    Strange { url: String, problem: String },
    #[error("the server has no type {given}{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    NoType { given: String, help: Option<String> },
    #[error("{given} is ambiguous: it may be {}; write one of them in full", types.join(" or "))]
    Ambiguous { given: String, types: Vec<String> },
    #[error("the server sent nothing for {seconds} s")]
    Silent { seconds: u64 },
    #[error("the connection to the server was closed")]
    Ended,
}

/// The refusal of a request by the server.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Refusal {
    /// The error code, for programs.
    pub(crate) code: String,
    /// The message, for people.
    pub(crate) message: String,
    /// The mistakes in the body of the request.
    #[serde(default)]
    pub(crate) problems: Vec<Problem>,
}

/// A mistake at a path in the body.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) path: Vec<Step>,
    pub(crate) message: String,
}

impl Refusal {
    /// Returns advice that the server cannot give.
    fn hint(&self) -> &'static str {
        if self.code == "unauthenticated" { "; give one in CONVERGE_TOKEN or --token-file" } else { "" }
    }
}

impl RemoteError {
    /// Returns whether the server answered with this error code.
    pub(crate) fn is(&self, expected: &str) -> bool {
        matches!(self, Self::Refused(Refusal { code, .. }) if code == expected)
    }

    /// Returns whether a retry may succeed: the request itself was valid.
    pub(super) fn passes(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Ended => true,
            Self::Refused(refusal) => {
                matches!(&*refusal.code, "aborted" | "unavailable" | "deadline_exceeded")
            }
            Self::Plain { .. }
            | Self::Untrusted { .. }
            | Self::Strange { .. }
            | Self::NoType { .. }
            | Self::Ambiguous { .. } => false,
        }
    }
}
