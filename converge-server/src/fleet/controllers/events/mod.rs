//! Writes down what operators want to know of.
//!
//! What happened is read from what is stored, as everything is: each kind of resource has a controller that looks at its statuses (`said`).
//! Each event has a mark of when it happened that is stored too, so that a server which takes over, or looks twice, counts nothing twice
//! (`record`). Old ones are left out by `tidy`.

mod event_sources;
mod record;
mod retention;

pub(crate) use event_sources::{of_assignments, of_nodes, of_rollouts};
pub(crate) use retention::tidy;
#[cfg(test)]
pub(crate) use retention::unwanted;
