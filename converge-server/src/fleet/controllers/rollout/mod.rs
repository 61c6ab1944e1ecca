//! The rollout of a new revision of a module to its nodes.
//!
//! Begin with [`plan_rollout`], which computes the next step from the stored state. `stand` has the progress of
//! each node, `decide` selects the nodes that get the revision next, `history` has earlier rollouts, and
//! `said` the conditions for people. All state is in the store, so a server that takes over continues where
//! the last one stopped.

mod condition;
mod decide;
mod history;
mod node_progress;
mod plan;
#[cfg(test)]
mod tests;

pub(super) use condition::{COMPLETE, PAUSED};
pub(super) use plan::{RolloutPlan, Seen, plan_rollout};
