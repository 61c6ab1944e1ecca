//! The ids of users and groups: a new one gets the next that is free.

use converge_core::footprint::Footprint;

/// Says that it may take the next id, and a line behind those of others: in another order they would have others.
pub(super) fn take(footprint: &mut Footprint) {
    footprint.touches("ids", "of users and groups");
}
