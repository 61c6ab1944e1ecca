//! What there is to tell: source positions, diagnostics and suggestions, all as data.
//!
//! Nothing here draws on a terminal. The `converge` command turns [`Diagnostic`]s into what rustc
//! would print, or into JSON; another application may do something else with the same data.

mod diagnostic;
pub mod explain;
pub mod health;
pub mod json;
pub mod json_schema;
mod source;
mod suggest;

pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use source::{FileId, Position, SourceFile, SourceMap, Span};
pub use suggest::{close_names, did_you_mean};
