//! The events of a run with their reports and outcomes, and its approval and interrupts.
//!
//! Deciding what happens is left to the folders that use this one.

pub(super) mod approval;
pub(super) mod difference;
pub(super) mod emitter;
pub(super) mod error;
pub(super) mod event;
pub(super) mod event_queue;
pub(super) mod failed_attempt;
pub(super) mod interrupt;
pub(super) mod lock_wait;
pub(super) mod outcome;
pub(super) mod output;
pub(super) mod progress;
mod redaction;
pub(super) mod report;
pub(crate) mod seconds;
pub(super) mod sink;
pub(super) mod summary;
