//! The bearer token of a client.

use std::fmt;
use std::sync::Arc;

use hyper::header::{HeaderValue, InvalidHeaderValue};

/// A bearer token.
///
/// Its `Debug` output hides the text.
#[derive(Clone)]
pub struct Token(Arc<str>);

impl Token {
    /// Creates a token from its text.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the value of the `Authorization` header, which is marked as sensitive.
    pub(crate) fn to_header(&self) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut header = HeaderValue::try_from(format!("Bearer {}", self.0))?;
        header.set_sensitive(true);
        Ok(header)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
