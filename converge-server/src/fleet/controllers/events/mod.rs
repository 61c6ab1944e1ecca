//! Controllers that record events for operators.
//!
//! Events are derived from stored resources: each kind of resource has a controller that inspects its
//! statuses (`said`). Each event has an occurrence mark that is stored too. A server that takes over, or that
//! inspects a resource twice, therefore counts nothing twice (`record`). `tidy` deletes old events.

mod event_sources;
mod record;
mod retention;

pub(crate) use event_sources::{assignment_events, node_events, rollout_events};
pub(crate) use retention::tidy;
#[cfg(test)]
pub(crate) use retention::unwanted;
