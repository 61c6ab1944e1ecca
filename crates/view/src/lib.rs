//! Views of graphs and runs: JSON, explanations, health, and diagnostics as text.
//!
//! This crate owns how graphs, runs and diagnostics look to people and to programs. It knows the loader and the engine, and
//! neither knows it. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.

use converge_graph::graph;
use converge_sdk as sdk;
use converge_value::{diagnostic, redact, types};

pub mod explain;
pub mod health;
pub mod json;
pub mod json_schema;
#[cfg(feature = "render")]
pub mod render;
