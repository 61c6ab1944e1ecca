//! What is set on the machine as a whole: jobs of cron, settings of the kernel, names of hosts.
//!
//! Files are edited in the places that are declared, as they are at that moment; every other line stays, byte for byte.

pub mod cron;
pub mod hosts;
pub mod sysctl;
