//! Why a URL gives no module.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use super::url::ContentHash;

/// Why a URL gives no module.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HttpError {
    /// The server answered with something else than the content.
    #[error("the server answers {}", Answer(*.0))]
    Status(u16),
    /// One place led to the next too often.
    #[error("it redirects more than {0} times")]
    TooManyRedirects(u32),
    /// A redirect from an encrypted to a plain connection.
    #[error("it redirects to {0}, which is not encrypted")]
    InsecureRedirect(String),
    /// A redirect to nowhere.
    #[error("it redirects to {0:?}, which is no place for a module")]
    BadRedirect(String),
    /// It took too long.
    #[error("there was no complete answer within {0:?}")]
    Timeout(Duration),
    /// The certificate of the server proves nothing.
    #[error("the server cannot be trusted: {0}")]
    Untrusted(String),
    /// The content is compressed, which nobody asked for.
    #[error("the answer is encoded as {0:?}")]
    Encoded(String),
    /// Anything else between here and there.
    #[error("{0}")]
    Failed(String),
    /// The network may not be used, and there is no copy.
    #[error("it is not in the cache, and the network is not used")]
    NotCached,
    /// The content is not the one that was asked for.
    #[error("its sha256 is {found}, and it is pinned to {expected}")]
    PinMismatch {
        /// What the pin says.
        expected: ContentHash,
        /// What the content has.
        found: ContentHash,
    },
}

impl HttpError {
    pub(in crate::load::source) fn code(&self) -> &'static str {
        match self {
            Self::Status(_) => "http-status",
            Self::TooManyRedirects(_) | Self::InsecureRedirect(_) | Self::BadRedirect(_) => "bad-redirect",
            Self::Timeout(_) => "http-timeout",
            Self::Untrusted(_) => "untrusted-server",
            Self::Encoded(_) | Self::Failed(_) => "http-failed",
            Self::NotCached => "not-cached",
            Self::PinMismatch { .. } => "pin-mismatch",
        }
    }

    /// How to fix it. `cached` says whether there is a copy from an earlier load.
    pub(in crate::load::source) fn help(&self, cached: Cached) -> Option<String> {
        let help = match self {
            Self::NotCached => Some("load it once without `--offline`".to_owned()),
            Self::PinMismatch { found, .. } => {
                Some(format!("if the change is wanted, pin it to #sha256={found}"))
            }
            Self::Untrusted(_) => Some(
                "add the authority that signed its certificate to those of this machine, or name a file with it \
                 in SSL_CERT_FILE"
                    .to_owned(),
            ),
            Self::TooManyRedirects(_) | Self::InsecureRedirect(_) => {
                Some("write the URL that it leads to in the end".to_owned())
            }
            _ => None,
        };
        help.or_else(|| match cached {
            Cached::Copy => Some("`--offline` loads the copy of an earlier run".to_owned()),
            Cached::Nothing => None,
        })
    }
}

/// Whether the cache has a copy of what could not be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cached {
    /// From an earlier load.
    Copy,
    /// There is none.
    Nothing,
}

/// `404 Not Found`.
struct Answer(u16);

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let status = ureq::http::StatusCode::from_u16(self.0).ok();
        match status.and_then(|status| status.canonical_reason()) {
            Some(reason) => write!(f, " {reason}"),
            None => Ok(()),
        }
    }
}
