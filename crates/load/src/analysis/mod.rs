//! The analysis of values before a run: constants, and secrets in texts and values.
//!
//! Values that only a run knows are left to the engine.

pub(super) mod constants;
pub(super) mod secrets;
