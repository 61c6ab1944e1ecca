//! The controllers of the fleet.

mod assign;
pub(super) mod events;
mod nodes;
mod rollout;
mod scheduler;
mod summary;
#[cfg(test)]
mod tests;

pub(super) use nodes::{NAME as NODES, READY, SILENT, nodes};
pub(super) use scheduler::scheduler;
