//! The error type of requests to a server.

/// A reason why a server gave no usable answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error("{url} is no server: write it like http://127.0.0.1:8500")]
    Url { url: String },
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
    #[error("the server at {url} refuses: {message}")]
    Refused { url: String, message: String },
    #[error("what answers at {url} is not a server of converge: {problem}")]
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
