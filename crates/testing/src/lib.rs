//! Test support for authors of resources: no root, no containers, no changes to the machine.
//!
//! This crate owns what proves that resources and modules behave. It knows the loader and the engine. It promises nothing by
//! itself: only `converge-sdk` and `converge-core` are API.
//!
//! A [`ModelSystem`](crate::system::ModelSystem) is the machine. [`prepare`] makes the task from values as a
//! module would give them. [`laws::check`] checks in one line what every resource has to keep.
//!
//! ```
//! use std::sync::Arc;
//!
//! use converge_core::prelude::*;
//! use converge_core::system::{ModelSystem, WriteFile};
//! use converge_core::testing::{self, FakeRenderer};
//!
//! /// The message that people see when they log in.
//! #[derive(Debug, Preparer)]
//! #[preparer(name = "motd", task = Motd)]
//! pub struct MotdPreparer {
//!     /// The message.
//!     #[hcl(required)]
//!     text: String,
//! }
//!
//! impl Resource for MotdPreparer {
//!     async fn prepare(self, _cx: &Context, _renderer: &dyn Renderer) -> Result<Motd> {
//!         Ok(Motd { text: self.text })
//!     }
//! }
//!
//! /// The message.
//! #[derive(Debug, Export)]
//! pub struct Motd {
//!     /// The message.
//!     #[export]
//!     text: String,
//! }
//!
//! impl Task for Motd {
//!     async fn check(&mut self, cx: &Context, _renderer: &dyn Renderer) -> Result<Status> {
//!         let file = cx.system().files().read("/etc/motd".as_ref()).await?;
//!         let text = file.map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
//!         let mut status = Status::new();
//!         status.add_difference_with_default("text", text.unwrap_or_default(), &self.text, "(none)");
//!         status.raise_level_for_diffs();
//!         Ok(status)
//!     }
//!
//!     async fn apply(&mut self, cx: &Context) -> Result<Status> {
//!         cx.system().files().write("/etc/motd".as_ref(), WriteFile::new(self.text.as_bytes())).await?;
//!         Ok(Status::new())
//!     }
//! }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! // One step after the other.
//! let model = Arc::new(ModelSystem::new().with_dir("/etc"));
//! let cx = testing::context(&model);
//! let renderer = FakeRenderer::new();
//! let mut motd = testing::prepare::<MotdPreparer>([("text", "hello".into())], &cx, &renderer).await?;
//! assert!(motd.check(&cx, &renderer).await?.has_changes());
//! motd.apply(&cx).await?;
//! assert_eq!(model.machine().file("/etc/motd"), Some(&b"hello"[..]));
//!
//! // Everything that must hold for any resource, in one line.
//! let start = || ModelSystem::new().with_file("/etc/motd", "old");
//! testing::laws::check::<MotdPreparer>(start, &[("text", "hello".into())]).await.map_err(Error::other)?;
//! # Ok::<(), Error>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod chance;
pub mod laws;
mod renderer;
pub mod simulation;

use converge_graph::graph;
use converge_language::syntax;
use converge_sdk as sdk;
use converge_system as system;
use converge_value::{diagnostic, redact, types};

#[doc(inline)]
pub use converge_engine::persistence::keep_store::keeping;
pub use converge_sdk::testing::{ProgressRecorder, context, plan_context, prepare};
#[doc(hidden)]
#[cfg(target_os = "linux")]
pub use converge_system::testing::other_user;
#[doc(inline)]
pub use converge_system::testing::private_folder;
#[doc(hidden)]
pub use converge_system::testing::{mutate, server};
pub use renderer::FakeRenderer;
