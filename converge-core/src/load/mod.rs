//! Loading: from the text of a module, or from Rust, to a graph.
//!
//! ```text
//! text --syntax--> tree --hcl--> declarations --check--> blueprints --expand--> drafts --link--> Graph
//!                  GraphBuilder ------^                                (+ Diagnostics at every step)
//! ```
//!
//! Everything up to the blueprints is done once per file. Drafts of nodes are created for each use of the
//! file.
//!
//! Loading never stops at the first error. It gives the understood part of the graph and every diagnostic, so
//! that `validate`, `graph` and an editor work on a broken file.
//!
//! The cost of large modules is dominated by memory access. Each step therefore passes on one item instead of
//! a list of all. Rare parts of resources are boxed, and a node has no lists of its own. An arena for the
//! whole load would save more, but every type of the loader would have to borrow from it.

mod app_state;
mod blueprint;
mod cache;
mod cancellation;
mod check;
mod constants;
mod declaration;
mod draft;
mod errors;
mod expand;
mod final_checks;
use converge_graph::footprint;
mod graph_builder;
mod halves;
mod hcl;
mod item_reader;
mod language_types;
mod link;
mod load_result;
mod loader;
mod local;
mod lower;
mod meta_arguments;
mod misspellings;
mod module_file;
mod module_files;
mod module_origin;
mod names;
pub(crate) mod output;
pub(crate) mod param;
mod parameters;
mod plugin_blocks;
mod problems;
mod purpose;
mod references;
mod secrets;
mod source;
mod spanned_text;
#[cfg(test)]
mod tests;
mod too_large;
mod type_table;
mod unresolved_names;
mod unused_names;
mod values_of_text;

pub use crate::types::cancellation::StopReason;
pub use crate::types::folder_entry::FolderEntry;
pub use crate::types::visibility::Visible;
pub(crate) use app_state::missing_state;
pub use cache::{CacheStats, ModuleCache};
pub(crate) use expand::items_of;
pub use footprint::AutomaticEdges;
pub(crate) use footprint::{edges_in_run, takes_turns, turns_in_run};
pub use graph_builder::{GraphBuilder, ResourceBuilder};
pub use load_result::{LoadError, Loaded};
pub use loader::Loader;
pub use meta_arguments::meta_arguments;
pub(crate) use param::is_param;
pub use parameters::{GivenParam, GivenParams};
pub use plugin_blocks::PluginBlock;
#[cfg(feature = "archive")]
pub use source::{ArchiveError, MemberError, ModulesIn};
#[cfg(feature = "http")]
pub use source::{Cached, ContentHash, FetchError, Http, ModulesAt, PlainHttp, Proxies, SourceUrlError};
pub use source::{
    Chain, FileUrlError, Folder, Memory, ModuleSource, ModulesBelow, Reading, Source, SourceError, Sources,
};
#[cfg(feature = "git")]
pub use source::{Commit, Git, GitError, GitUrlError, LockError, Locked, ModuleLock, NoCommit};
pub(crate) use source::{ModuleText, base_path, identity as module_identity, list_folder};
pub use type_table::TypeTable;
