//! Loading: from the text of a module, or from Rust, to a graph.
//!
//! This crate owns the steps from a text to a graph. It knows sources, the graph and the SDK, and neither the engine nor
//! plugins. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.
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
mod cancellation;
mod check;
mod errors;
mod expand;
mod files;
mod final_checks;
mod graph_builder;
mod link;
mod load_result;
mod loader;
mod model;
mod parameters;
mod parse;
#[cfg(test)]
mod tests;
mod types;

use converge_graph::{evaluate, footprint, graph};
use converge_language::{language, syntax};
use converge_sdk as sdk;
use converge_value::{diagnostic, redact};

pub use files::cache::{CacheStats, ModuleCache};
pub use graph_builder::{GraphBuilder, ResourceBuilder};
pub use load_result::{LoadError, Loaded};
pub use loader::Loader;
pub use model::plugin_blocks::PluginBlock;
pub use parameters::{GivenParam, GivenParams};
pub use types::meta_arguments::meta_arguments;
#[doc(hidden)]
pub use types::param::is_param;
pub use types::type_table::TypeTable;
