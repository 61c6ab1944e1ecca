//! Volume groups, logical volumes, and the file systems on them.
//!
//! LVM is queried with its own commands, which answer in JSON with sizes in bytes. It has no other stable
//! interface: its D-Bus service is another daemon, which few machines have. `wipefs` reads the signatures
//! from the device itself. `blkid` answers from a cache by default, names only one of several signatures, and
//! reports nothing if they contradict each other.

pub mod filesystem;
mod growth;
pub mod logicalvolume;
#[cfg(test)]
mod model;
mod report;
pub mod volumegroup;

/// The reason why the resources of this family exist only on Linux.
const ONLY_LINUX: &str = "it is about volumes and mounts of Linux";
