//! Resources for system-wide settings.
//!
//! They cover cron jobs, the host name, kernel settings and modules, host addresses, mounts, swap, the time
//! zone, locales, alternatives, and reboots. A file is edited only in the declared places, as it is at that
//! moment; every other line stays, byte for byte.

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
