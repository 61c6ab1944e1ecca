//! Arguments that several commands share.

mod format;
mod global;
mod home;
mod limit;
mod lock;
mod module;
mod param;
mod params;
mod plugins;
mod selection;
#[cfg(feature = "http")]
mod server;
mod sources;
mod state;
#[cfg(feature = "http")]
mod token;

pub(crate) use format::Format;
pub(crate) use global::Global;
pub(crate) use lock::{LockArgs, duration};
pub(crate) use module::ModuleArgs;
pub(crate) use plugins::PluginArgs;
pub(crate) use selection::{Selected, SelectionArgs};
#[cfg(feature = "http")]
pub(crate) use server::{Output, ServerArgs, TenancyArgs, TimeoutArgs};
#[cfg(feature = "lsp")]
pub(crate) use sources::CacheArgs;
pub(crate) use sources::SourceArgs;
pub(crate) use state::StateArgs;
