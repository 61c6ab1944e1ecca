//! The server of Converge: a store of resources, controllers and listeners, in one process.
//!
//! The program `converge-server` is [`main`]. A program with types and controllers of its own is as short:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use converge_controller::StoredResource;
//! use converge_controller::registry::{RegistryError, TypeRegistry};
//! use converge_controller::runtime::{Action, Controller, Manager, RegisterError, Request, Runtime};
//! use converge_controller::service::ServiceError;
//!
//! /// A musician.
//! #[derive(Clone, Debug, Default, PartialEq, StoredResource)]
//! #[stored(group = "demo", version = "v2", scope = namespace)]
//! pub struct Artist {}
//!
//! async fn reconcile(_: Runtime, _: Request<Artist>) -> Result<Action, ServiceError> {
//!     Ok(Action::await_change())
//! }
//!
//! pub fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
//!     types.register::<Artist>()
//! }
//!
//! pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
//!     manager.register(Controller::<Artist>::new("artists").reconcile(reconcile))
//! }
//!
//! fn main() -> ExitCode {
//!     converge_server::Program::new()
//!         .with_types(register_types)
//!         .with_controllers(register_controllers)
//!         .main()
//! }
//! ```
//!
//! Such a program has all commands of `converge-server`, and they use these types and controllers. `server`
//! runs them, `controllers proto` exports the types, `controllers graph` draws the dependencies, and
//! `controllers status` shows the state of a running server.
//!
//! A program that also does other work embeds a [`Server`] instead.

mod access;
mod agent;
mod api_types;
mod commands;
mod content;
mod definitions;
mod fleet;
mod grpc;
mod http;
mod identity;
mod json;
mod listeners;
mod metrics;
mod openapi;
mod output;
mod page;
mod private_files;
mod program;
mod proto;
mod secret_seal;
mod server;
mod top;
mod type_snapshot;

use std::process::ExitCode;

pub use access::Joining;
pub use content::{EtcdAddress, InvalidEtcdAddress, Store};
pub use listeners::{Tls, TlsError};
pub use program::Program;
pub use secret_seal::{InvalidKeys, SecretKeys};
pub use server::{Running, Server, StartError};

/// Runs the program `converge-server` with the arguments of the process.
///
/// Call it from `main`, outside of any async runtime. It starts a runtime, handles signals, and writes to the
/// standard streams.
pub fn main() -> ExitCode {
    Program::new().main()
}
