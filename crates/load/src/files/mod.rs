//! Module files: their items, the cache of checked files, and names that nothing uses.
//!
//! Calls between modules are left to `expand`.

pub(super) mod cache;
mod item_reader;
pub(super) mod module_file;
pub(super) mod module_files;
pub(super) mod unused_names;
