//! The tables of a run, which the coordinator writes and the workers read.
//!
//! Acting on their content is left to `work` and `schedule`.

pub(super) mod duplicates;
pub(super) mod instance_selection;
pub(super) mod managed_so_far;
pub(super) mod node_flags;
pub(super) mod partial_reports;
pub(super) mod pending_changes;
pub(super) mod refreshes;
pub(super) mod run_tables;
pub(super) mod selection;
mod work_queue;
