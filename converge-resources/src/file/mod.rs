//! Resources for files and directories.

#[cfg(unix)]
pub mod absent;
#[cfg(unix)]
pub mod acl;
pub(crate) mod acl_mask;
pub(crate) mod atomic_link;
pub(crate) mod attributes;
pub mod block;
#[cfg(unix)]
pub mod capability;
pub mod content;
#[cfg(unix)]
pub mod copy;
pub(crate) mod declared_paths;
pub(crate) mod descent;
pub(crate) mod destination_link;
pub(crate) mod direct_change;
pub mod directory;
pub(crate) mod edit;
mod glob;
mod ids;
pub mod ini;
pub mod line;
pub mod link;
pub(crate) mod missing_path;
pub mod mode;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod other_users;
pub mod owner;
pub mod query;
#[cfg(unix)]
pub(crate) mod real_path;
#[cfg(unix)]
mod removal_guard;
pub mod replace;
#[cfg(any(unix, feature = "net"))]
pub(crate) mod select;
pub(crate) mod sibling_path;
#[cfg(any(unix, feature = "net"))]
pub(crate) mod tree_attributes;
#[cfg(unix)]
pub mod xattr;
pub mod yaml;
