//! The graph of a module: nodes and edges.

mod additions;
mod adjacency;
mod automatic_edges;
mod collapse;
mod constant_texts;
mod dependency_graph;
mod dot;
mod drawing;
mod edge;
mod environment;
mod footprint_edges;
mod index;
mod input;
mod instances;
mod managed_things;
mod mermaid;
mod node;
mod order;
pub mod param;
mod path_names;
mod pattern;
mod reachability;
mod rebase;
mod resolve;
mod run_graph;
mod scope;
mod structure;
mod suggestions;
mod turns;

/// The type of the nodes of outputs, and the first part of their names.
#[doc(hidden)]
pub const OUTPUT: &str = "output";

pub use crate::types::id::{NodeId, ParseIdError};
pub use crate::types::tag::{ParseTagError, Tag};
#[doc(hidden)]
pub use additions::Links;
#[doc(hidden)]
pub use automatic_edges::AutomaticEdge;
#[doc(hidden)]
pub use collapse::{Collapsed, Patterns};
#[doc(hidden)]
pub use constant_texts::KnownText;
pub use dependency_graph::Graph;
#[doc(hidden)]
pub use drawing::predicate;
pub use edge::{Edge, EdgeReason};
pub use environment::{Environment, EnvironmentError};
pub use index::NodeIndex;
pub use input::{Attribute, Input, InputKind};
#[doc(hidden)]
pub use managed_things::{ManagedInRun, Manager, UseInRun, UsesInRun};
pub use node::{Deferred, Meta, Node, Retry, Role};
pub use order::Cycle;
pub use param::{ParamKind, ParamMeta, ParamOrigin, ParamRules, Validation};
#[doc(hidden)]
pub use path_names::{DeclaredPaths, PathNames};
#[doc(hidden)]
pub use pattern::{Pattern, PatternDependency, PatternEdge};
#[doc(hidden)]
pub use rebase::Rebase;
#[doc(hidden)]
pub use resolve::resolve as resolve_path;
pub use resolve::{ResolvedPath, Targets};
#[doc(hidden)]
pub use scope::ReadFiles;
pub use scope::{EachIs, LexicalScope, Module};
#[doc(hidden)]
pub use turns::{TurnList, in_order};
