//! Files and directories.

pub(crate) mod attributes;
pub mod content;
pub(crate) mod descent;
pub mod directory;
mod ids;
pub(crate) mod in_place;
pub(crate) mod missing;
pub mod mode;
pub mod owner;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod sibling;
mod strangers;
