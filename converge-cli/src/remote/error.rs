//! Why a server is of no help.

use serde::Deserialize;

use crate::document::Step;

/// A server does not answer as it should.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    #[error(
        "no server answers at {url} ({problem}): start one with `converge server --dev`, or name another with --server"
    )]
    Unreachable { url: String, problem: String },
    #[error("{url} is another machine, and a token would cross the network as it is")]
    Plain { url: String },
    #[error(
        "the server at {url} is not to be trusted ({problem}): name the authority of its certificate with --ca"
    )]
    Untrusted { url: String, problem: String },
    #[error("{}{}", .0.message, .0.hint())]
    Refused(Refusal),
    #[error("what answers at {url} is not a server of converge: {problem}")]
    Strange { url: String, problem: String },
    #[error("the server has no type {given}{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    NoType { given: String, help: Option<String> },
    #[error("{given} may be {}: name one of them in full", types.join(" or "))]
    Ambiguous { given: String, types: Vec<String> },
    #[error("the server told nothing for {seconds} s")]
    Silent { seconds: u64 },
    #[error("the connection to the server has ended")]
    Ended,
}

/// The server refuses what was asked.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Refusal {
    /// For programs.
    pub(crate) code: String,
    /// For people.
    pub(crate) message: String,
    /// The places of the body at which something is wrong.
    #[serde(default)]
    pub(crate) problems: Vec<Problem>,
}

/// What is wrong at a place.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) path: Vec<Step>,
    pub(crate) message: String,
}

impl Refusal {
    /// What to do about it, where the server cannot know.
    fn hint(&self) -> &'static str {
        if self.code == "unauthenticated" { "; give one in CONVERGE_TOKEN or --token-file" } else { "" }
    }
}

impl RemoteError {
    /// Whether the server says this.
    pub(crate) fn is(&self, expected: &str) -> bool {
        matches!(self, Self::Refused(Refusal { code, .. }) if code == expected)
    }

    /// Whether to ask again is of use: nothing was wrong with what was asked.
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
