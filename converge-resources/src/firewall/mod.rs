//! Firewalls: which packets the machine lets in and out.
//!
//! Whoever changes one over the network can lock himself out. So what is declared is compared with the session in which this runs, and what would keep
//! the next one out is refused, unless the module says that it is meant.

pub mod firewalld;
mod network;
mod session;
pub mod ufw;
