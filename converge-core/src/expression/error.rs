//! What can be wrong with an expression.

use std::ops::Range;

/// An expression is wrong, or failed while it was evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct ExpressionError {
    /// What is wrong.
    pub kind: ExpressionErrorKind,
    /// Where, in bytes of the file.
    pub range: Range<u32>,
}

/// What can be wrong with an expression.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpressionErrorKind {
    /// Not evaluated yet.
    #[error("expressions cannot be evaluated yet")]
    NotYet,
}
