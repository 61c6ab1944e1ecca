//! Errors of fetching a module from a URL.

use std::fmt;

use thiserror::Error;

use super::pin::ContentHash;
use crate::system::http::HttpError;
use converge_value::debug_as_text;

/// The reason why a module cannot be fetched from a URL.
#[derive(Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The server answered with a status other than success.
    #[error("the server answers {}", StatusLine(*.0))]
    Status(u16),
    /// The request failed without an answer.
    #[error(transparent)]
    Request(#[from] HttpError),
    /// The content is compressed although compression was not requested.
    #[error("the answer is encoded as {0:?}")]
    Encoded(String),
    /// The network may not be used, and the cache has no copy.
    #[error("it is not in the cache, and the network is not used")]
    NotCached,
    /// The content does not have the pinned hash.
    #[error("its sha256 is {found}, and it is pinned to {expected}")]
    PinMismatch {
        /// The hash in the pin.
        expected: ContentHash,
        /// The hash of the content.
        found: ContentHash,
    },
}

debug_as_text!(FetchError);

impl FetchError {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Status(_) => "http-status",
            Self::Request(problem) => match problem {
                HttpError::TooManyRedirects(_)
                | HttpError::InsecureRedirect(_)
                | HttpError::RedirectOutside(_)
                | HttpError::BadRedirect(_) => "bad-redirect",
                HttpError::Timeout(_)
                | HttpError::ConnectTimeout(_)
                | HttpError::Inactive(_)
                | HttpError::TooSlow { .. }
                | HttpError::NoAnswer(_) => "http-timeout",
                HttpError::NotEncrypted(_) => "plain-http",
                HttpError::Untrusted(_) => "untrusted-server",
                _ => "http-failed",
            },
            Self::Encoded(_) => "http-failed",
            Self::NotCached => "not-cached",
            Self::PinMismatch { .. } => "pin-mismatch",
        }
    }

    /// Returns a hint how to fix the error; `cached` tells whether an earlier load left a copy.
    pub(super) fn help(&self, cached: Cached) -> Option<String> {
        let help = match self {
            Self::NotCached => Some("load it once without `--offline`".to_owned()),
            Self::PinMismatch { found, .. } => {
                Some(format!("if the change is wanted, pin it to #sha256={found}"))
            }
            Self::Request(HttpError::Untrusted(_)) => Some(
                "add the authority that signed its certificate to those of this machine, or name a file with it \
                 in SSL_CERT_FILE"
                    .to_owned(),
            ),
            Self::Request(HttpError::NotEncrypted(_)) => Some(
                "http allows others to change this module on its way: use https, pin it with #sha256= and its hash, \
                 or allow it with `--allow-plain-http`"
                    .to_owned(),
            ),
            Self::Request(HttpError::TooManyRedirects(_) | HttpError::InsecureRedirect(_)) => {
                Some("write the final URL of the redirects".to_owned())
            }
            _ => None,
        };
        help.or_else(|| match cached {
            Cached::Copy => Some("`--offline` loads the copy of an earlier run".to_owned()),
            Cached::Nothing => None,
        })
    }
}

/// Whether the cache has a copy of content that could not be fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cached {
    /// An earlier load left a copy.
    Copy,
    /// There is no copy.
    Nothing,
}

/// A status line such as `404 Not Found`.
struct StatusLine(u16);

impl fmt::Display for StatusLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let status = ureq::http::StatusCode::from_u16(self.0).ok();
        match status.and_then(|status| status.canonical_reason()) {
            Some(reason) => write!(f, " {reason}"),
            None => Ok(()),
        }
    }
}
