//! Volume groups, logical volumes, and the file systems on them.
//!
//! LVM is asked with its own commands and answers in JSON, with sizes in bytes. What is on a device is read
//! from the device itself with `wipefs`, never from a cache.

mod device;
pub mod filesystem;
mod growth;
pub mod logicalvolume;
#[cfg(test)]
mod model;
mod mounts;
mod report;
mod steps;
mod tools;
pub mod volumegroup;

use converge_core::{Registry, RegistryError};

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry
        .with::<filesystem::FilesystemPreparer>()?
        .with::<logicalvolume::LogicalVolumePreparer>()?
        .with::<volumegroup::VolumeGroupPreparer>()
}
