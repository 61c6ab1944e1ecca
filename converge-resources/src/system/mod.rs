//! What is set on the machine as a whole: jobs of cron, its name, settings and modules of the kernel, names of hosts, mounts and swap, the
//! time zone, languages, alternatives, boots.
//!
//! Files are edited in the places that are declared, as they are at that moment; every other line stays, byte for byte.

pub mod alternative;
pub mod cron;
mod device_tag;
mod fstab;
mod host_name;
pub mod hostname;
pub mod hosts;
pub mod kernel_module;
pub mod locale;
pub mod mount;
pub mod reboot;
mod setting_lines;
pub mod swap;
pub mod sysctl;
pub mod timezone;
