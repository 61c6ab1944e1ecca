//! Texts with their places.

use std::sync::Arc;

use crate::diagnostic::Span;

/// A text with the place where it is written.
#[derive(Clone, Debug)]
pub(super) struct Spanned {
    pub(super) text: Arc<str>,
    pub(super) span: Option<Span>,
}

impl Spanned {
    /// A text that is in no file.
    pub(super) fn from_code(text: impl Into<Arc<str>>) -> Self {
        Self { text: text.into(), span: None }
    }
}
