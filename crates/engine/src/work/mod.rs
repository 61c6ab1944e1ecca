//! The work on one node or one batch: workers, jobs, attempts and instances of a `for_each`.
//!
//! The order of nodes is left to `schedule`.

pub(super) mod attempt;
pub(super) mod attempt_progress;
mod batch;
pub(super) mod expand;
pub(super) mod job;
mod late_names;
mod outbox;
pub(super) mod second_look;
pub(super) mod system_layers;
mod timeout;
pub(super) mod worker;
pub(super) mod worker_message;
