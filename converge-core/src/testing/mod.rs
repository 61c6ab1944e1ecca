//! Test support for authors of resources: no root, no containers, no changes to the machine.
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
#[doc(hidden)]
pub mod mutate;
#[doc(hidden)]
#[cfg(target_os = "linux")]
pub mod other_user;
mod private_folder;
mod progress;
mod renderer;
#[doc(hidden)]
pub mod server;
pub mod simulation;

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::keep_store::KeptTexts;
use crate::graph::NodeId;
use crate::sdk::context::{Context, RunId, RunMode};
use crate::sdk::error::Result;
use crate::sdk::keep::KeepPlace;
use crate::sdk::resource::{Renderer, Resource, resource_of};
use crate::system::System;
use crate::types::check::Fields;
use crate::types::schema::find_field;
use crate::types::value::Value;

pub use private_folder::private_folder;
pub use progress::ProgressRecorder;
pub use renderer::FakeRenderer;

/// Returns the context of an apply on `system`.
pub fn context<S: System + 'static>(system: &Arc<S>) -> Context {
    Context::new(system.clone(), RunId::new("test"), RunMode::Apply)
}

/// Returns the context of a plan on `system`.
pub fn plan_context<S: System + 'static>(system: &Arc<S>) -> Context {
    Context::new(system.clone(), RunId::new("test"), RunMode::Plan)
}

/// Returns the context with a folder of its system where a resource [keeps](Context::keep) data.
///
/// ```
/// use std::sync::Arc;
/// use converge_core::system::ModelSystem;
/// use converge_core::testing;
///
/// let model = Arc::new(ModelSystem::new());
/// let cx = testing::keeping(testing::context(&model), "/var/lib/converge/kept");
/// ```
pub fn keeping(cx: Context, folder: impl Into<PathBuf>) -> Context {
    let (system, redactor) = (Arc::clone(cx.shared_system()), cx.redactor().clone());
    let kept = KeptTexts::new(system, folder.into(), "test".to_owned(), redactor);
    cx.with_keep(KeepPlace::At(Arc::new(kept), NodeId::root().child("resource.tested")))
}

/// Makes the task of `R` from the names and values of its fields, as the engine does.
///
/// The function renders text, hides sensitive values, checks fields and rules, and prepares the task.
///
/// # Errors
///
/// - [State](crate::AppState) that `R` needs is missing in `cx`.
/// - Text cannot be rendered, a name is not a field, a value does not fit, or a rule is broken.
/// - [`Resource::prepare`] fails.
pub async fn prepare<R: Resource>(
    values: impl IntoIterator<Item = (&str, Value)>,
    cx: &Context,
    renderer: &dyn Renderer,
) -> Result<R::Task> {
    if let Some(missing) = R::NEEDS.iter().find_map(|need| need.missing(cx.app_state())) {
        return Err(missing.into());
    }
    let block = R::block();
    let mut given = Vec::new();
    for (name, value) in values {
        let value = render(value, name, renderer)?;
        let sensitive = find_field(&block.fields, name).is_some_and(|(_, field)| field.sensitive);
        given.push((name.to_owned(), if sensitive { value.into_secret() } else { value }));
    }
    resource_of::<R>(Fields::from_map(&block, given))?.prepare(cx, renderer).await
}

fn render(value: Value, name: &str, renderer: &dyn Renderer) -> Result<Value> {
    Ok(match value {
        Value::String(text) => renderer.render(name, &text)?,
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| render(item, name, renderer)).collect::<Result<_>>()?)
        }
        Value::Map(items) => Value::Map(
            items
                .into_iter()
                .map(|(key, item)| Ok((key, render(item, name, renderer)?)))
                .collect::<Result<_>>()?,
        ),
        value => value,
    })
}
