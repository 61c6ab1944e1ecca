//! Files and directories.

pub(crate) mod attributes;
pub mod content;
pub mod directory;
mod ids;
pub(crate) mod missing;
pub mod mode;
pub mod owner;
