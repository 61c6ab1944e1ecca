//! The JSON output of the `converge` command, as serializable data.
//!
//! Spans are byte offsets into a [`SourceMap`](crate::diagnostic::SourceMap), which readers of the JSON do
//! not have. These functions resolve spans to file, line and column, and leave everything else unchanged.

mod diagnostic;
mod event;
mod graph;
mod param;
mod schema;
#[cfg(test)]
mod tests;

pub use diagnostic::{DiagnosticRecord, LabelRecord, PlaceRecord, diagnostic};
pub use event::{event, event_kind};
pub use graph::{EdgeRecord, GraphRecord, NodeRecord, ThingRecord, graph};
pub use param::{ParamRecord, params};
pub use schema::{functions, resource_type, schema};
