//! `lvm.volumegroup`: devices whose space logical volumes are made of.

mod task;
#[cfg(test)]
mod tests;

pub use task::VolumeGroup;
