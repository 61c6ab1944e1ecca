//! The graph of a module: nodes, edges, the evaluation of inputs, and edges from footprints.
//!
//! This crate owns what the loader builds and the engine runs. It knows resources and the language, and neither the sources
//! of modules, the loader nor the engine. It promises nothing by itself: only `converge-sdk` and `converge-core` are API.

#[doc(hidden)]
pub mod app_state;
pub mod evaluate;
pub mod footprint;
#[doc(hidden)]
pub mod for_each;
pub mod graph;
#[doc(hidden)]
pub mod param_value;
mod renderer;
#[doc(hidden)]
pub mod schema_json;

pub use renderer::ValueRenderer;

use converge_language::{language, syntax};
use converge_sdk as sdk;
use converge_value::{diagnostic, types};
