//! Views of graphs and runs: JSON, explanations, health, and diagnostics as text.

pub mod explain;
pub mod health;
pub mod json;
pub mod json_schema;
#[cfg(feature = "render")]
pub mod render;
