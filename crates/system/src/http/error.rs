//! The errors of HTTP requests.

use std::time::Duration;

use thiserror::Error;

use converge_value::debug_as_text;

/// The reason why a server gave no complete response.
///
/// A status is no error.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum HttpError {
    /// There were more redirects than allowed.
    #[error("it redirects more than {0} times")]
    TooManyRedirects(u32),
    /// A redirect leads from an encrypted to an unencrypted connection.
    #[error("it redirects to {0}, which is not encrypted")]
    InsecureRedirect(String),
    /// A redirect leads out of the allowed URLs.
    #[error("it redirects to {0}, which is outside of what may be loaded here")]
    RedirectOutside(String),
    /// A redirect has no valid target.
    #[error("it redirects to {0:?}, which cannot be fetched")]
    BadRedirect(String),
    /// A redirect needs a streamed body again, which can be sent once only.
    #[error("it redirects to {0} and asks for the body again, which was streamed and is no longer available")]
    BodyIsGone(String),
    /// A redirect would send the body of the request to another server, which may be untrusted.
    #[error("it redirects to {0} with the body of the request, which is sent to no other server")]
    BodyElsewhere(String),
    /// The whole request exceeded its deadline.
    #[error("there was no complete answer within {0:?}")]
    Timeout(Duration),
    /// No connection was made in time.
    #[error("there was no connection within {0:?}")]
    ConnectTimeout(Duration),
    /// The server was inactive for too long.
    #[error("nothing came for {0:?}")]
    Inactive(Duration),
    /// The body arrived more slowly than the minimum rate.
    #[error("only {received} bytes came within {within:?}")]
    TooSlow {
        /// The number of bytes received.
        received: u64,
        /// The time in which they arrived.
        within: Duration,
    },
    /// The response headers were not complete in time.
    #[error("no answer began within {0:?}")]
    NoAnswer(Duration),
    /// The connection is unencrypted, so others on the network could change the data.
    #[error("{0} is not encrypted")]
    NotEncrypted(String),
    /// The certificate of the server is not trusted.
    #[error("the server cannot be trusted: {0}")]
    Untrusted(String),
    /// The server rejects the client: it requires a certificate, or another one.
    #[error("the server requires a client certificate, or refuses the one that was sent: {0}")]
    Rejected(String),
    /// An authority, certificate or key of the request cannot be used.
    #[error("{0}")]
    BadTls(String),
    /// A header is invalid.
    #[error("the header {0:?} cannot be sent: it has invalid characters")]
    BadHeader(String),
    /// The client itself sets this header.
    #[error("the header {0:?} is set by the client from the body")]
    OwnHeader(String),
    /// The body of the request could not be read, or has not the announced length.
    #[error("the body of the request: {0}")]
    Body(String),
    /// The body of the response is larger than the limit in bytes.
    #[error("the answer has more than {0} bytes")]
    TooLarge(u64),
    /// The body of the response has an encoding that cannot be decoded.
    #[error("the answer cannot be decoded: {0}")]
    Encoding(String),
    /// The status of the response is not a success.
    #[error("the server answers {0}")]
    Status(u16),
    /// The host does not exist.
    #[error("there is no such host")]
    NoSuchHost,
    /// Nothing listens at the address.
    #[error("connection refused")]
    Refused,
    /// The server has addresses, but none is reachable from this machine.
    #[error("none of the addresses of the server can be connected to")]
    NoWay,
    /// The connection ended before the response was complete.
    #[error("the connection ended before the answer did")]
    Incomplete,
    /// This program was built without an HTTP client.
    #[error("this program was built without the feature `http`")]
    NoClient,
    /// Any other failure of the transfer.
    #[error("{0}")]
    Failed(String),
}

debug_as_text!(HttpError);

impl HttpError {
    /// Whether the same request may succeed later without any other change.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Timeout(_)
            | Self::ConnectTimeout(_)
            | Self::Inactive(_)
            | Self::TooSlow { .. }
            | Self::NoAnswer(_)
            | Self::NoSuchHost
            | Self::Refused
            | Self::NoWay
            | Self::Incomplete
            | Self::Failed(_) => true,
            Self::Status(status) => matches!(status, 408 | 429 | 500 | 502..=504),
            Self::TooManyRedirects(_)
            | Self::InsecureRedirect(_)
            | Self::RedirectOutside(_)
            | Self::BadRedirect(_)
            | Self::BodyIsGone(_)
            | Self::BodyElsewhere(_)
            | Self::NotEncrypted(_)
            | Self::Untrusted(_)
            | Self::Rejected(_)
            | Self::BadTls(_)
            | Self::BadHeader(_)
            | Self::OwnHeader(_)
            | Self::Body(_)
            | Self::TooLarge(_)
            | Self::Encoding(_)
            | Self::NoClient => false,
        }
    }
}
