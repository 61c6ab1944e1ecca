//! Files and directories.

#[cfg(unix)]
pub mod absent;
pub(crate) mod attributes;
pub mod content;
pub(crate) mod descent;
pub mod directory;
mod ids;
pub(crate) mod in_place;
pub mod link;
pub(crate) mod missing;
pub mod mode;
pub mod owner;
mod sibling;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod strangers;
