//! Loading: from the text of a module, or from Rust, to a graph.
//!
//! ```text
//! text --syntax--> tree --parse--> declarations --check--> blueprints --expand--> drafts --link--> Graph
//!                  GraphBuilder --------^                                (+ Diagnostics at every step)
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

mod analysis;
mod app_state;
mod cancellation;
mod check;
mod errors;
mod expand;
mod files;
mod final_checks;
use converge_graph::footprint;
mod graph_builder;
mod link;
mod load_result;
mod loader;
mod model;
mod parameters;
mod parse;
mod source;
#[cfg(test)]
mod tests;
mod too_large;
pub(crate) mod types;

pub use crate::types::cancellation::StopReason;
pub use crate::types::folder_entry::FolderEntry;
pub use crate::types::visibility::Visible;
pub(crate) use app_state::missing_state;
pub(crate) use expand::items_of;
pub use files::cache::{CacheStats, ModuleCache};
pub use footprint::AutomaticEdges;
pub(crate) use footprint::{edges_in_run, takes_turns, turns_in_run};
pub use graph_builder::{GraphBuilder, ResourceBuilder};
pub use load_result::{LoadError, Loaded};
pub use loader::Loader;
pub use model::plugin_blocks::PluginBlock;
pub use parameters::{GivenParam, GivenParams};
#[cfg(feature = "archive")]
pub use source::{ArchiveError, MemberError, ModulesIn};
#[cfg(feature = "hcl")]
pub use source::{BodyError, BodyProblem};
#[cfg(feature = "http")]
pub use source::{Cached, ContentHash, FetchError, Http, ModulesAt, PlainHttp, Proxies, SourceUrlError};
pub use source::{
    Chain, FileUrlError, Folder, Memory, ModuleSource, ModulesBelow, Reading, Source, SourceError, Sources,
};
#[cfg(feature = "git")]
pub use source::{Commit, Git, GitError, GitUrlError, LockError, Locked, ModuleLock, NoCommit};
pub(crate) use source::{ModuleText, base_path, identity as module_identity, list_folder};
pub use types::meta_arguments::meta_arguments;
pub(crate) use types::param::is_param;
pub use types::type_table::TypeTable;
