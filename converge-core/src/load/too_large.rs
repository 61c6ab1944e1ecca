//! The error about kept values that are too large together.

use crate::diagnostic::{Diagnostic, Limit, ReachedLimit, Span};

/// Creates the diagnostic for parameters whose values are too large together.
pub(super) fn too_large(limit: u64, span: Option<Span>) -> Diagnostic {
    let message = format!("the values of parameters take more than {limit} bytes together");
    let reached = ReachedLimit { limit: Limit::WorkMemory, most: limit };
    Diagnostic::error("too-large", message).label(span, "with this one").reached(reached)
}
