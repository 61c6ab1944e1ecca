//! What is set on the machine as a whole: jobs of cron, settings of the kernel, names of hosts, the time zone, languages,
//! alternatives, boots.
//!
//! Files are edited in the places that are declared, as they are at that moment; every other line stays, byte for byte.

pub mod alternative;
pub mod cron;
pub mod hosts;
pub mod locale;
mod own_lines;
pub mod reboot;
pub mod sysctl;
pub mod timezone;
