//! Files and directories.

#[cfg(unix)]
pub mod absent;
pub(crate) mod attributes;
pub mod block;
#[cfg(unix)]
pub mod capability;
pub mod content;
#[cfg(unix)]
pub mod copy;
pub(crate) mod descent;
pub mod directory;
pub(crate) mod edit;
mod glob;
#[cfg(unix)]
mod guard;
mod ids;
pub(crate) mod in_place;
pub mod ini;
pub mod line;
pub mod link;
pub(crate) mod missing;
pub mod mode;
pub mod owner;
pub(crate) mod put_link;
pub mod query;
#[cfg(unix)]
pub(crate) mod real_path;
pub mod replace;
#[cfg(any(unix, feature = "net"))]
pub(crate) mod select;
pub(crate) mod sibling;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod strangers;
#[cfg(any(unix, feature = "net"))]
pub(crate) mod wanted;
pub mod yaml;
