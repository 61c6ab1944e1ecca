//! The error type of requests to a server.

/// A reason why a server gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error("{url} is not a server: write it like http://127.0.0.1:8500")]
    Url { url: String },
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
    #[error("the server at {url} refuses: {message}")]
    Refused { url: String, message: String },
    #[error("the server at {url} is not a converge server: {problem}")]
    Strange { url: String, problem: String },
}

impl AskError {
    /// Creates the error of a failed connection.
    pub(super) fn unreachable(url: String, problem: String) -> Self {
        // This is the wording of rustls.
        if problem.contains("invalid peer certificate") {
            Self::Untrusted { url, problem }
        } else {
            Self::Unreachable { url, problem }
        }
    }
}
