//! The Converge SDK: declared states of a machine, in Rust.
//!
//! A *module* (an HCL file) declares *resources*. The engine orders them into a graph, *checks* each
//! against the machine, shows the difference (*plan*), and *applies* what differs, then checks again.
//!
//! | to | begin with |
//! | --- | --- |
//! | write a module | the [guide to the module language](language) |
//! | write a resource | the [Resource Author's Guide](guide), [`Preparer`], [`Export`](trait@Export), [`Task`] |
//! | put the engine into a program | [`Registry`], [`load::Loader`] or [`load::GraphBuilder`], [`engine::Engine`] |
//! | show what happens | [`engine::Event`], [`report`] |
//! | reach a machine in another way | [`System`] |
//!
//! # From a module to a plan
//!
//! ```
//! use std::sync::Arc;
//! use converge_core::Registry;
//! use converge_core::engine::{Engine, Event, Interrupt};
//! use converge_core::load::Loader;
//! use converge_core::system::LocalSystem;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! // With `converge_resources::registry()` instead, modules may use the built-in resources.
//! let registry = Registry::new();
//! let loaded = Loader::new(&registry).load_text("hello.hcl", r#"param "who" { default = "you" }"#);
//! let graph = loaded.into_graph().map_err(|mistakes| format!("{mistakes:?}"))?;
//!
//! let engine = Engine::new(Arc::new(LocalSystem::new()));
//! let mut finished = Vec::new();
//! let mut sink = |event: Event| {
//!     if let Event::ResourceFinished(report) = event {
//!         finished.push(report.id.short().to_owned());
//!     }
//! };
//! let summary = engine.plan(&graph, &Interrupt::new(), &mut sink).await?;
//! assert!(!summary.has_changes());
//! assert_eq!(finished, ["param.who"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! - `derive` (on by default): the derives, re-exported beside the traits of their names.
//! - `http`: modules that are fetched with http and https ([`load::Http`]).
//! - `testing`: the machine in memory ([`system`]) and the laws of resources.

// The derives name `::converge_core`, also when this crate uses them itself.
extern crate self as converge_core;

pub mod context;
mod derived;
pub mod engine;
pub mod error;
mod evaluate;
pub mod export;
pub mod expression;
pub mod graph;
pub mod guide;
pub mod health;
mod http;
pub mod language;
pub mod load;
pub mod registry;
pub mod report;
pub mod resource;
pub mod schema;
pub mod scope;
pub mod status;
pub mod syntax;
pub mod system;
pub mod template;
#[cfg(feature = "testing")]
pub mod testing;
pub mod value;

pub use async_trait::async_trait;
pub use context::{Context, Mode, Refreshing, RunId};
pub use error::{Error, Result, ResultExt};
pub use export::Export;
pub use health::Health;
pub use registry::{Registry, RegistryError};
pub use resource::{Batch, Preparer, Refresh, Renderer, Resource, Task, Validate};
pub use schema::Schema;
pub use status::{Diff, SecretDiff, Status, StatusLevel, TaskStatus, TextDiff};
pub use system::System;
pub use value::{FromValue, Secret, ToValue, Value};

#[cfg(feature = "derive")]
pub use converge_derive::{Export, HclBlock, HclEnum, HclText, Preparer};

/// What nearly every resource needs: `use converge_core::prelude::*;`.
pub mod prelude {
    pub use crate::context::{Context, Mode};
    pub use crate::error::{Error, Result, ResultExt};
    pub use crate::export::Export;
    pub use crate::resource::{Batch, Preparer, Refresh, Renderer, Resource, Task, Validate};
    pub use crate::status::{Diff, Status, StatusLevel, TaskStatus};
    pub use crate::value::{FromValue, Secret, ToValue, Value};
    pub use async_trait::async_trait;

    #[cfg(feature = "derive")]
    pub use converge_derive::{Export, HclBlock, HclEnum, HclText, Preparer};
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
