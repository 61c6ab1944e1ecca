//! A target for the lines between a plugin and its host.
//!
//! Nothing may panic, and a parsed message must survive a round trip.

pub(crate) fn run(bytes: &[u8]) {
    converge_core::plugin::hear(bytes);
}
