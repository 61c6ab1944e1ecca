//! Everything that outlives a run or is shared between runs: journal, kept texts and locks.
//!
//! Deciding when a record is written is left to the workers and the coordinator.

pub(super) mod journal;
pub mod keep_store;
pub(super) mod refresh_identity;
pub(super) mod run_lock;
pub(super) mod shared_locks;
