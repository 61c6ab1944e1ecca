//! The `converge` command, for any set of resource types.
//!
//! The program `converge` is [`main`] with the [built-in](built_in) types. A program with types of its own is as short:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use converge_core::RegistryError;
//! # mod acme {
//! #     use converge_core::prelude::*;
//! #     /// A resource.
//! #     #[derive(Debug, Preparer)]
//! #     #[preparer(name = "acme.site", task = SiteTask, register = false)]
//! #     pub struct Site {}
//! #     impl Resource for Site {
//! #         async fn prepare(self, _: &Context, _: &dyn Renderer) -> Result<SiteTask> { Ok(SiteTask {}) }
//! #     }
//! #     /// Its task.
//! #     #[derive(Debug, Export)]
//! #     pub struct SiteTask {}
//! #     impl Task for SiteTask {
//! #         async fn check(&mut self, _: &Context, _: &dyn Renderer) -> Result<Status> { Ok(Status::new()) }
//! #         async fn apply(&mut self, _: &Context) -> Result<Status> { Ok(Status::new()) }
//! #     }
//! # }
//!
//! fn main() -> Result<ExitCode, RegistryError> {
//!     let registry = converge_cli::built_in()?.with::<acme::Site>()?;
//!     Ok(converge_cli::main(registry))
//! }
//! ```
//!
//! It has all commands: `plan`, `apply` and `validate` know the types of the registry, and `docs` describes them. Begin with
//! [`Registry::new`] instead of [`built_in`] for a program that has no other types than its own. A program with a name and
//! version of its own is a [`Program`].
//!
//! # Features
//!
//! Each family of built-in types is a feature, as in `converge-resources`: `docker`, `file`, `firewall`, `git`, `lvm`, `net`, `package`,
//! `shell`, `system`, `systemd`, `user`. All are on by default, as is `http`, for modules that are fetched and for `converge resource`. A module that uses a type of a family
//! that is off is told which feature it needs.

mod args;
mod cli;
mod command_context;
mod commands;
mod console;
#[cfg(feature = "http")]
mod document;
mod error;
mod exit;
mod interrupt;
mod logs;
#[cfg(feature = "lsp")]
mod lsp;
mod modules;
mod output;
mod plan_file;
mod platform;
#[cfg_attr(not(feature = "plugins"), path = "no_plugins.rs")]
mod plugins;
mod program;
#[cfg(feature = "http")]
mod remote;
mod runtime;
mod secrets;
mod server_program;
#[cfg(feature = "http")]
mod server_runtime;
mod wording;

use std::process::ExitCode;

use converge_core::{Registry, RegistryError};

pub use program::Program;

/// Runs the whole `converge` command with these resource types and the arguments of the process.
///
/// Call it from `main`, outside of any async runtime: it starts a runtime, watches for signals, and writes to
/// the standard streams.
pub fn main(registry: Registry) -> ExitCode {
    Program::new(registry).main()
}

/// Returns a registry of the built-in types whose features are on.
///
/// For types of other features the registry knows which feature they need.
///
/// Types that register themselves ([`Registry::automatic`]) are not added: the types of a program must depend
/// neither on what the linker kept nor on the platform.
///
/// ```
/// let registry = converge_cli::built_in()?;
/// # #[cfg(feature = "file")]
/// assert!(registry.get("file.content").is_some());
/// # Ok::<(), converge_core::RegistryError>(())
/// ```
///
/// # Errors
///
/// None with the built-in types alone. The error type is that of [`Registry::with`], which callers mostly use
/// next.
pub fn built_in() -> Result<Registry, RegistryError> {
    converge_resources::registry()
}
