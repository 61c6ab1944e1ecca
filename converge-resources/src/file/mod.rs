//! Files and directories.

#[cfg(unix)]
pub mod absent;
pub(crate) mod attributes;
pub mod block;
pub mod content;
pub(crate) mod descent;
pub mod directory;
mod edit;
mod glob;
mod ids;
pub(crate) mod in_place;
pub mod ini;
pub mod line;
pub mod link;
pub(crate) mod missing;
pub mod mode;
pub mod owner;
pub mod query;
pub mod replace;
mod sibling;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod strangers;
