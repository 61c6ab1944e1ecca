//! Stories of resources on disposable hosts: what must never be changed on the machine at hand. One file for each family.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, in its helpers too")]

// It takes longest, and tests start in the order of their names.
mod disks;
mod disposable;
mod docker;
mod examples;
mod file_content;
mod file_owner;
mod full;
mod net;
mod package;
mod package_rpm;
mod systemd;
mod user;
mod user_programs;
