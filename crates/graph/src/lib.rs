//! The graph of a module: nodes, edges, the evaluation of inputs, and edges from footprints.
//!
//! This crate owns what the loader builds and the engine runs. It knows resources and the language, and neither the sources
//! of modules, the loader nor the engine. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.

pub mod evaluate;
pub mod footprint;
pub mod graph;
mod renderer;

pub use renderer::ValueRenderer;

use converge_language::{language, syntax};
use converge_sdk as sdk;
use converge_value::{diagnostic, types};
