//! Errors of requests for resources.

use std::io;

use converge_client::{ClientError, Refusal};

/// A failed request for resources.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemoteError {
    #[error("{}", message(.0))]
    Client(#[from] ClientError),
    #[error("could not start: {0}")]
    Start(#[from] io::Error),
    #[error("the server has no type {given}{}", help.as_ref().map(|help| format!("; {help}")).unwrap_or_default())]
    NoType { given: String, help: Option<String> },
    #[error("{given} is ambiguous: it may be {}; write one of them in full", types.join(" or "))]
    Ambiguous { given: String, types: Vec<String> },
}

/// Returns the message of an error with advice for the user of the command.
fn message(error: &ClientError) -> String {
    match error {
        // The user knows which server the command asks.
        ClientError::Refused(refusal) => format!("{}{}", refusal.message, error.hint()),
        error => format!("{error}{}", error.hint()),
    }
}

impl RemoteError {
    /// Returns whether the server answered with this error code.
    pub(crate) fn is(&self, expected: &str) -> bool {
        matches!(self, Self::Client(ClientError::Refused(Refusal { code, .. })) if code == expected)
    }

    /// Returns whether a retry of the same request may succeed.
    pub(super) fn is_transient(&self) -> bool {
        matches!(self, Self::Client(error) if error.is_transient())
    }
}
