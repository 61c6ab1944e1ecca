//! The data that the steps of loading hand on: declarations, blueprints, drafts and problems.
//!
//! The steps themselves are left to the folders that use this one.

pub(super) mod blueprint;
pub(super) mod declaration;
pub(super) mod draft;
pub(super) mod module_origin;
pub(super) mod names;
pub(super) mod plugin_blocks;
pub(super) mod problems;
pub(super) mod purpose;
pub(super) mod references;
pub(super) mod spanned_text;
mod unresolved_names;
