//! The Converge SDK.
//!
//! A *module* (an HCL file) declares *resources*. The engine orders them into a graph, *checks* each
//! against the machine, shows the difference (*plan*), and *applies* what differs, then checks again.

// The derives name `::converge_core`, also when this crate uses them itself.
extern crate self as converge_core;

pub mod context;
mod derived;
pub mod engine;
pub mod error;
pub mod export;
pub mod graph;
pub mod guide;
pub mod load;
pub mod registry;
pub mod report;
pub mod resource;
pub mod schema;
pub mod status;
pub mod syntax;
pub mod system;
pub mod template;
#[cfg(feature = "testing")]
pub mod testing;
pub mod value;

pub use async_trait::async_trait;
pub use context::{Context, Mode, RunId};
pub use error::{Error, Result, ResultExt};
pub use export::Export;
pub use registry::{Registry, RegistryError};
pub use resource::{Preparer, Renderer, Resource, Task};
pub use schema::Schema;
pub use status::{Diff, SecretDiff, Status, StatusLevel, TaskStatus, TextDiff};
pub use system::System;
pub use value::{FromValue, Secret, ToValue, Value};

#[cfg(feature = "derive")]
pub use converge_derive::{Export, HclBlock, HclEnum, Preparer};

/// What nearly every resource needs: `use converge_core::prelude::*;`.
pub mod prelude {
    pub use crate::context::{Context, Mode};
    pub use crate::error::{Error, Result, ResultExt};
    pub use crate::export::Export;
    pub use crate::resource::{Preparer, Renderer, Resource, Task};
    pub use crate::status::{Diff, Status, StatusLevel, TaskStatus};
    pub use crate::value::{FromValue, Secret, ToValue, Value};
    pub use async_trait::async_trait;

    #[cfg(feature = "derive")]
    pub use converge_derive::{Export, HclBlock, HclEnum, Preparer};
}

/// What the code that the derives write needs. Not part of the public API.
#[doc(hidden)]
pub mod __private {
    pub use inventory;

    pub use crate::derived::*;
}

/// Compiles the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
