//! The step from the syntax tree of a file to declarations.
//!
//! Whether names and types fit is left to `check`.

pub(super) mod hcl;
pub(super) mod lower;
