//! The `lvm.volumegroup` resource: devices that provide space for logical volumes.

mod task;
#[cfg(test)]
mod tests;

pub use task::VolumeGroup;
