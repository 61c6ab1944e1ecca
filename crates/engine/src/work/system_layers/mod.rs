//! Wrappers of the `System` of a run: environment, secret exposure and the mark of the run.
//!
//! Choosing the wrappers of a node is left to its attempt.

pub(super) mod environment;
pub(crate) mod run_mark;
pub(super) mod secret_exposure;
