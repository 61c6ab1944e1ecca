//! The Converge SDK: declares, plans and applies the state of a machine, in Rust.
//!
//! A *module* (an HCL file) declares *resources*. The engine orders them into a graph and *checks* each one
//! against the machine. It shows the difference (*plan*), *applies* the changes, and then checks again.
//!
//! | to | begin with |
//! | --- | --- |
//! | write a module | the [guide to the module language](guide::language) |
//! | write a resource | the [Resource Author's Guide](guide), the [`prelude`], [`Preparer`], [`Export`](trait@Export), [`Task`] |
//! | put the engine into a program | the [Embedder's Guide](guide::embedding), the [`prelude::embed`], [`Registry`], [`load::Loader`] or [`load::GraphBuilder`], [`engine::Engine`] |
//! | show what happens | [`engine::Event`], [`diagnostic`], [`view`] |
//! | reach a machine in another way | [`system::System`] |
//!
//! Items for authors of resources are at the top of the crate; everything else is in its module.
//!
//! # From a module to a plan
//!
//! ```
//! use std::sync::Arc;
//! use converge_core::prelude::embed::*;
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! // With `converge_resources::registry()` instead, modules may use the built-in resources.
//! let registry = Registry::new();
//! let loaded = Loader::new(&registry).load_text("hello.hcl", r#"param "who" { default = "you" }"#);
//! let graph = loaded.into_graph()?;
//!
//! let engine = Engine::new(Arc::new(LocalSystem::new()));
//! let mut finished = Vec::new();
//! let mut sink = |event: Event| {
//!     if let EventKind::ResourceFinished(report) = event.kind {
//!         finished.push(report.id);
//!     }
//! };
//! let summary = engine.plan(&graph).sink(&mut sink).await?;
//! assert!(!summary.has_changes());
//! // A parameter is only a value, so the engine reports nothing about it.
//! assert!(finished.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Features
//!
//! - `derive` (on by default): the derives, re-exported beside the traits of the same names.
//! - `archive`: modules in tar and zip archives (`load::ModulesIn`).
//! - `assist`: completion, hover and definitions at a position in a module, for editors (`assist`).
//! - `http`: modules that are fetched with http and https ([`load::Http`]).
//! - `plugin`: resource types as a program that `converge` runs ([`plugin!`](crate::plugin!)), and running such
//!   programs (`plugin::Plugin`).
//! - `render`: diagnostics as text, with their source underlined (`view::render`).
//! - `testing`: the in-memory test host ([`system`]) and the laws of resources.
//! - `yaml`: the tree of a YAML text, which the built-in resources use; not an API.

// The guides link to all features, so broken links are allowed when some features are off.
#![cfg_attr(
    not(all(
        feature = "archive",
        feature = "assist",
        feature = "http",
        feature = "render",
        feature = "testing"
    )),
    allow(rustdoc::broken_intra_doc_links)
)]

// The derives name `::converge_core`, which must also resolve inside this crate.
#[allow(unused_extern_crates, reason = "the compiler counts paths of derives on some systems only")]
extern crate self as converge_core;

pub mod engine;
pub mod guide;
#[cfg(feature = "testing")]
mod laws;
pub mod load;

#[cfg(feature = "derive")]
#[doc(inline)]
pub use converge_derive::{Export, HclBlock, HclEnum, HclText, Preparer};
#[doc(hidden)]
pub use converge_sdk::macro_support;
#[doc(inline)]
pub use converge_sdk::{
    AnyResource, AnyTask, AppState, Batch, Context, Decided, Declared, DeclaredBelow, Diff, DiffValue, Error,
    Exports, HasFootprint, Health, Keep, Limits, MissingState, Need, Progress, ProgressUpdate,
    RedactingWriter, Redactor, Refresh, Refreshing, Registry, RegistryBuilder, RegistryError, Renderer,
    Resource, ResourceError, ResourceType, Result, ResultExt, RunId, RunMode, SecretDiff, Status,
    StatusLevel, Task, TaskStatus, Validate, ValueDiff, async_trait, field_error,
};
#[doc(inline)]
pub use converge_sdk::{diagnostic, footprint, schema, system, value};
#[doc(inline)]
pub use converge_sdk::{export::Export, resource::Preparer};
#[doc(hidden)]
pub use converge_value::debug_as_text;

#[cfg(feature = "plugin")]
#[doc(inline)]
pub use converge_plugin as plugin;
#[cfg(feature = "plugin")]
#[doc(inline)]
pub use converge_plugin::plugin;

#[cfg(feature = "assist")]
#[doc(inline)]
pub use converge_assist as assist;
#[doc(inline)]
pub use converge_engine::{plan, state};
#[doc(inline)]
pub use converge_graph::graph;
#[doc(inline)]
pub use converge_language::syntax;
#[cfg(feature = "testing")]
#[doc(inline)]
pub use converge_testing as testing;
#[doc(inline)]
pub use converge_view as view;

/// The languages inside values: templates in strings, and expressions without quotes.
pub mod language {
    pub use converge_graph::ValueRenderer;
    #[doc(inline)]
    pub use converge_language::language::*;
}

/// The items that nearly every resource needs: `use converge_core::prelude::*;`.
pub mod prelude {
    #[doc(no_inline)]
    pub use crate::{Export, Preparer};
    #[cfg(feature = "derive")]
    #[doc(no_inline)]
    pub use crate::{HclBlock, HclEnum, HclText};
    #[doc(no_inline)]
    pub use converge_sdk::prelude::*;

    /// The items that nearly every embedding program needs: `use converge_core::prelude::embed::*;`.
    pub mod embed {
        #[doc(no_inline)]
        pub use crate::engine::{
            CancellationToken, Engine, EngineError, Event, EventKind, EventSink, Interrupt, OnDrift, Outcome,
            ResourceReport, Run, RunHandle, Summary,
        };
        #[doc(no_inline)]
        pub use crate::graph::{Graph, NodeId};
        #[doc(no_inline)]
        pub use crate::load::{
            GivenParams, GraphBuilder, LoadError, Loaded, Loader, Memory, ModuleCache, ModuleSource, Sources,
            Visible,
        };
        #[doc(no_inline)]
        pub use crate::plan::{ApplyPlanError, DocumentError, ExportError, Plan, Report};
        #[doc(no_inline)]
        pub use crate::state::{InvalidOwner, Locks, Owner, State, StateError};
        #[doc(no_inline)]
        pub use crate::system::{LocalSystem, System};
        #[doc(no_inline)]
        pub use crate::value::{ModuleFunction, Value};
        #[doc(no_inline)]
        pub use crate::{AppState, Limits, Registry, RegistryError, RunMode};
    }
}
