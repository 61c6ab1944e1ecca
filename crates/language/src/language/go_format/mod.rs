//! Formatting of text and numbers like Go, for templates and functions.

pub(super) mod escape;
pub(super) mod float;
pub(super) mod verb;
