//! Writes down what operators want to know of.
//!
//! What happened is read from what is stored, as everything is: each kind of resource has a controller that looks at its statuses (`said`).
//! Each event has a mark of when it happened that is stored too, so that a server which takes over, or looks twice, counts nothing twice
//! (`record`). Old ones are left out by `tidy`.

mod record;
mod said;
mod tidy;

pub(crate) use said::{of_assignments, of_nodes, of_rollouts};
pub(crate) use tidy::tidy;
#[cfg(test)]
pub(crate) use tidy::unwanted;
