//! The bearer token of a client.

use std::fmt;
use std::sync::Arc;

/// A token.
///
/// Its `Debug` output hides the text.
#[derive(Clone)]
pub(crate) struct Bearer(Arc<str>);

impl Bearer {
    pub(crate) fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// Returns the value of the `Authorization` header.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(..)")
    }
}
