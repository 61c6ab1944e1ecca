//! Values, schemas, diagnostics and the redaction of secrets: the vocabulary of all other crates.
//!
//! This crate owns the [values](types::value) of modules, the descriptions of resource types, the positions of text and
//! the messages about it. It knows neither the machine nor the module language. It promises nothing by itself: only
//! `converge-sdk` and `converge-core` are API.

pub mod diagnostic;
#[doc(hidden)]
pub mod error_text;
pub mod redact;
pub mod types;

/// Values of the module language, and their conversion to and from Rust types.
pub mod value {
    pub use crate::types::convert::{FromValue, OneOrMany, Parsed, ToValue};
    pub use crate::types::function::{Callable, ModuleFunction, ModuleFunctions, Purity, Returned};
    #[doc(hidden)]
    pub use crate::types::glob;
    pub use crate::types::value::*;
    #[cfg(feature = "yaml")]
    #[doc(hidden)]
    pub use crate::types::yaml;
}

/// The schema of a resource type, and the checks of values against it.
///
/// The derives produce the schema. Validation, conversion, lookups and documentation all read it, so that
/// nothing about a field is written twice.
pub mod schema {
    pub use crate::types::check::{Fields, check, convert};
    pub use crate::types::schema::{
        BlockKind, Condition, ExportField, Field, Kind, Rule, Schema, Shape, find_field,
    };
}

/// The footprint of a resource: the paths and names that it manages, needs and touches.
pub mod footprint {
    pub use crate::types::footprint::*;
}
