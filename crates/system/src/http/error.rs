//! Why a server gave no answer.

use std::time::Duration;

use thiserror::Error;

/// Why a server gave no answer, or no whole one. A status is no error: it is an answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum HttpError {
    /// One place led to the next too often.
    #[error("it redirects more than {0} times")]
    TooManyRedirects(u32),
    /// A redirect from an encrypted to a plain connection.
    #[error("it redirects to {0}, which is not encrypted")]
    InsecureRedirect(String),
    /// A redirect to another place than what may be asked.
    #[error("it redirects to {0}, which is outside of what may be loaded here")]
    RedirectOutside(String),
    /// A redirect to nowhere.
    #[error("it redirects to {0:?}, which cannot be fetched")]
    BadRedirect(String),
    /// A redirect that asks for a body again that came in pieces.
    #[error("it redirects to {0} and asks for the body again, which was sent as it came and is gone")]
    BodyIsGone(String),
    /// A redirect that asks for the body of the request to be sent to another server, which may be a stranger's.
    #[error("it redirects to {0} with the body of the request, which is sent to no other server")]
    BodyElsewhere(String),
    /// The answer took too long in all.
    #[error("there was no complete answer within {0:?}")]
    Timeout(Duration),
    /// No connection was made in time.
    #[error("there was no connection within {0:?}")]
    ConnectTimeout(Duration),
    /// Nothing came for too long.
    #[error("nothing came for {0:?}")]
    Inactive(Duration),
    /// Less came than has to come.
    #[error("only {received} bytes came within {within:?}")]
    TooSlow {
        /// So many bytes of the body.
        received: u64,
        /// In this time.
        within: Duration,
    },
    /// The answer did not begin, or not all of its headers came, in time.
    #[error("no answer began within {0:?}")]
    NoAnswer(Duration),
    /// Whoever is between here and there could change what is sent.
    #[error("{0} is not encrypted")]
    NotEncrypted(String),
    /// The certificate of the server proves nothing.
    #[error("the server cannot be trusted: {0}")]
    Untrusted(String),
    /// The server does not take who asks it: it wants a certificate, or another one.
    #[error("the server refuses the certificate of who asks it, or wants one: {0}")]
    Rejected(String),
    /// An authority, a certificate or a key of the request that cannot be used.
    #[error("{0}")]
    BadTls(String),
    /// A header that cannot be sent.
    #[error("the header {0:?} cannot be sent: it has characters that no header has")]
    BadHeader(String),
    /// A header that the client writes itself.
    #[error("the header {0:?} is written by the client, as the body says")]
    OwnHeader(String),
    /// The body of the request could not be read, or is not as long as it was said to be.
    #[error("the body of the request: {0}")]
    Body(String),
    /// The body of the answer has more bytes than are taken.
    #[error("the answer has more than {0} bytes")]
    TooLarge(u64),
    /// The answer says that it did not work, by its status.
    #[error("the server answers {0}")]
    Status(u16),
    /// There is no such host.
    #[error("there is no such host")]
    NoSuchHost,
    /// There is no listener.
    #[error("connection refused")]
    Refused,
    /// The server has addresses, and this machine cannot connect to any of them.
    #[error("none of the addresses of the server can be connected to")]
    NoWay,
    /// The connection ended before the answer did.
    #[error("the connection ended before the answer did")]
    Incomplete,
    /// This program was built without a client.
    #[error("this program was built without the feature `http`")]
    NoClient,
    /// Anything else between here and there.
    #[error("{0}")]
    Failed(String),
}

impl HttpError {
    /// Whether the same request may succeed a little later, with nothing done about it.
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
            | Self::NoClient => false,
        }
    }
}
