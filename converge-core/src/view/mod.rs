//! Views of what the loader and the engine say: JSON, explanations, health, and diagnostics as text.

pub mod explain;
pub mod health;
pub mod json;
pub mod json_schema;
#[cfg(feature = "render")]
pub mod render;
