//! Text and numbers as Go prints them, for templates and for functions.

pub(super) mod escape;
pub(super) mod float;
pub(super) mod verb;
