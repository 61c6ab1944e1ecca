//! The JSON output of the `converge` command, as serializable data.
//!
//! Spans are byte offsets into a [`SourceMap`](crate::diagnostic::SourceMap), which readers of the JSON do
//! not have. These functions resolve spans to file, line and column, and leave everything else unchanged.

mod event;
mod graph;
mod param;
#[cfg(test)]
mod tests;

#[doc(inline)]
pub use crate::diagnostic::record::{DiagnosticRecord, LabelRecord, PlaceRecord, diagnostic};
#[doc(inline)]
pub use converge_graph::schema_json::{functions, resource_type, schema};
pub use event::{event, event_kind};
pub use graph::{EdgeRecord, GraphRecord, NodeRecord, ThingRecord, graph};
pub use param::{ParamRecord, params};
