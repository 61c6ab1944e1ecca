//! What a module declares, as nodes and the edges between them.

mod additions;
mod adjacency;
mod automatic;
mod close;
mod dependency_graph;
mod dot;
mod drawing;
mod edge;
mod environment;
mod footprint;
mod grown;
mod index;
mod input;
mod known;
mod managed;
mod mermaid;
mod node;
mod order;
pub(crate) mod param;
mod reach;
mod resolve;
mod scope;
mod structure;
#[cfg(test)]
mod tests;

pub use crate::types::id::{NodeId, ParseIdError};
pub use crate::types::tag::{ParseTagError, Tag};
pub(crate) use automatic::AutomaticEdge;
pub use dependency_graph::Graph;
pub(crate) use drawing::predicate;
pub use edge::{Edge, EdgeReason};
pub use environment::{Environment, EnvironmentError};
pub use index::NodeIndex;
pub use input::{Attribute, Input, InputKind};
pub(crate) use known::KnownText;
pub(crate) use managed::{ManagedInRun, Manager, UseInRun, UsesInRun};
pub use node::{Deferred, Meta, Node, Retry, Role};
pub use order::Cycle;
pub use param::{ParamKind, ParamMeta, ParamOrigin, ParamRules, Validation};
pub(crate) use resolve::resolve as resolve_path;
pub use resolve::{ResolvedPath, Targets};
pub(crate) use scope::ReadFiles;
pub use scope::{LexicalScope, Module};
