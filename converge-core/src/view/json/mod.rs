//! The JSON that the `converge` command writes, as data that any serialiser can take.
//!
//! Spans are byte offsets into a [`SourceMap`](crate::diagnostic::SourceMap), which whoever reads the JSON does not
//! have. The functions here resolve them to file, line and column, and leave everything else as it is.

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
