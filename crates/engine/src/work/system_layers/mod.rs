//! Wrappers of the `System` of a run.
//!
//! They add the environment and the mark of the run, and observe paths and exposed secrets.
//!
//! Choosing the wrappers of a node is left to its attempt.

pub(super) mod environment;
pub(super) mod observed_paths;
pub(crate) mod run_mark;
pub(super) mod secret_exposure;
