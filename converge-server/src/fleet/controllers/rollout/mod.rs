//! How a new version of a module comes to its nodes.
//!
//! Begin with [`course`], which decides everything from what there is: `stand` says how each node stands to the version, `decide` which nodes
//! get it next, `history` what was before, and `said` what people are told. Nothing is remembered but in the store, so that a
//! server which takes over goes on where the last one was.

mod condition;
mod decide;
mod history;
mod node_progress;
mod plan;
#[cfg(test)]
mod tests;

pub(super) use condition::{COMPLETE, PAUSED};
pub(super) use plan::{Course, Seen, course};
