//! Texts with their positions.

use std::sync::Arc;

use crate::diagnostic::Span;

/// A text with its position in a file.
#[derive(Clone, Debug)]
pub(crate) struct Spanned {
    pub(crate) text: Arc<str>,
    pub(crate) span: Option<Span>,
}

impl Spanned {
    /// Creates a text without a position, from Rust.
    pub(crate) fn from_code(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), span: None }
    }
}
