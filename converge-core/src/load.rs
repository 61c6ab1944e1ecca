//! Loading: from the text of a module, or from Rust, to a graph.
//!
//! ```text
//! text --syntax--> tree --parse--> declarations --check--> blueprints --expand--> drafts --link--> Graph
//!                  GraphBuilder --------^                                (+ Diagnostics at every step)
//! ```
//!
//! Loading never stops at the first error. It gives the understood part of the graph and every diagnostic, so
//! that `validate`, `graph` and an editor work on a broken file.

#[doc(inline)]
pub use converge_graph::footprint::AutomaticEdges;
#[doc(inline)]
pub use converge_load::{
    CacheStats, GivenParam, GivenParams, GraphBuilder, LoadError, Loaded, Loader, ModuleCache, PluginBlock,
    ResourceBuilder, TypeTable, meta_arguments,
};
#[cfg(feature = "archive")]
#[doc(inline)]
pub use converge_source::{ArchiveError, MemberError, ModulesIn};
#[cfg(feature = "hcl")]
pub use converge_source::{BodyError, BodyProblem};
#[cfg(feature = "http")]
#[doc(inline)]
pub use converge_source::{
    Cached, ContentHash, FetchError, Http, ModulesAt, PlainHttp, Proxies, SourceUrlError,
};
#[doc(inline)]
pub use converge_source::{
    Chain, FileUrlError, Folder, Memory, ModuleSource, ModulesBelow, Reading, Source, SourceError, Sources,
};
#[cfg(feature = "git")]
#[doc(inline)]
pub use converge_source::{Commit, Git, GitError, GitUrlError, LockError, Locked, ModuleLock, NoCommit};
#[doc(inline)]
pub use converge_value::types::cancellation::StopReason;
#[doc(inline)]
pub use converge_value::types::folder_entry::FolderEntry;
#[doc(inline)]
pub use converge_value::types::visibility::Visible;
