//! What is sent with a request, and what comes with an answer.

use std::fmt;

use async_trait::async_trait;

use super::HttpError;
use crate::ReadAt;

/// The body of a request. None of it is shown: it may be a password.
#[derive(Default)]
pub enum RequestBody {
    /// None.
    #[default]
    Empty,
    /// Bytes, which are sent again where a redirect asks for that.
    Bytes(Vec<u8>),
    /// A file from its beginning, as long as it was when it was opened. It is read piece by piece, and again where a redirect asks
    /// for that.
    File(Box<dyn ReadAt>),
    /// Pieces as they come, such as the body of an answer. They come once: a redirect that asks for them again is
    /// [`BodyIsGone`](super::HttpError::BodyIsGone).
    Stream {
        /// The pieces.
        body: Box<dyn HttpBody>,
        /// How many bytes there are, where that is known: servers that store files ask for it. Another number of bytes is
        /// [`Body`](super::HttpError::Body).
        length: Option<u64>,
    },
}

impl RequestBody {
    /// Whether there is one.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn is_some(&self) -> bool {
        !matches!(self, Self::Empty)
    }

    /// Whether it can be sent again.
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

/// The body of a response, or that of a request that comes in pieces.
#[async_trait]
pub trait HttpBody: Send {
    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// The body ends before the length that was promised, or nothing or too little comes for too long.
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, HttpError>; // with `#[async_trait]` on the `impl`
}
