//! The bodies of requests and responses.

use std::fmt;

use async_trait::async_trait;

use super::HttpError;
use crate::ReadAt;

/// The body of a request.
///
/// Its content is never shown, as it may be a password.
#[derive(Default)]
pub enum RequestBody {
    /// No body.
    #[default]
    Empty,
    /// Bytes, which can be sent again after a redirect.
    Bytes(Vec<u8>),
    /// A file from its start, with the length that it had when opened.
    ///
    /// The file is read piece by piece, and can be sent again after a redirect.
    File(Box<dyn ReadAt>),
    /// A stream of pieces, such as the body of a response.
    ///
    /// A stream can be sent once only. A redirect that needs it again is
    /// [`BodyIsGone`](super::HttpError::BodyIsGone).
    Stream {
        /// The source of the pieces.
        body: Box<dyn HttpBody>,
        /// The number of bytes, if known; servers that store files require it.
        ///
        /// A different number of bytes is [`Body`](super::HttpError::Body).
        length: Option<u64>,
    },
}

impl RequestBody {
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn is_some(&self) -> bool {
        !matches!(self, Self::Empty)
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Stream { .. })
    }
}

impl fmt::Debug for RequestBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("Empty"),
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::File(file) => write!(f, "File({})", file.metadata().len),
            Self::Stream { length, .. } => {
                f.debug_struct("Stream").field("length", length).finish_non_exhaustive()
            }
        }
    }
}

impl From<Vec<u8>> for RequestBody {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<String> for RequestBody {
    fn from(text: String) -> Self {
        Self::Bytes(text.into_bytes())
    }
}

impl From<&str> for RequestBody {
    fn from(text: &str) -> Self {
        Self::Bytes(text.into())
    }
}

impl From<&[u8]> for RequestBody {
    fn from(bytes: &[u8]) -> Self {
        Self::Bytes(bytes.into())
    }
}

impl From<Box<dyn ReadAt>> for RequestBody {
    fn from(file: Box<dyn ReadAt>) -> Self {
        Self::File(file)
    }
}

/// The body of a response, or a streamed body of a request.
#[async_trait]
pub trait HttpBody: Send {
    /// Returns the next bytes, or `None` at the end.
    ///
    /// # Errors
    ///
    /// If the body ends before the promised length, or arrives too slowly or not at all.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError>; // with `#[async_trait]` on the `impl`
}
