//! By what a server knows who asks.

use std::fmt;
use std::sync::Arc;

/// A token. It is in no `Debug`.
#[derive(Clone)]
pub(crate) struct Bearer(Arc<str>);

impl Bearer {
    pub(crate) fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// What a request says in `Authorization`.
    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Bearer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bearer(..)")
    }
}
