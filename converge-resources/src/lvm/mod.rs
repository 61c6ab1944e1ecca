//! Volume groups, logical volumes, and the file systems on them.
//!
//! LVM is asked with its own commands and answers in JSON, with sizes in bytes. It has no other interface that lasts: its
//! D-Bus service is one more daemon, which few machines have. What is on a device is read from the device itself with
//! `wipefs`. `blkid` answers from a cache unless told otherwise, names one signature where there are several, and stays
//! silent when they contradict each other.

pub mod filesystem;
mod growth;
pub mod logicalvolume;
#[cfg(test)]
mod model;
mod report;
pub mod volumegroup;

/// Why only Linux has volumes and mounts of this kind.
const ONLY_LINUX: &str = "it is about volumes and mounts of Linux";
