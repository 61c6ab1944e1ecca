//! Firewalls: rules for the packets that a machine receives and sends.
//!
//! An administrator who changes a firewall over the network can lock himself out. The resources therefore
//! compare the change with the session of this run. A change that would block the next session is refused,
//! unless the module allows it.

pub mod firewalld;
mod network;
mod session;
pub mod ufw;
