//! The resources of a server: their types, paths and changes.

mod encode;
mod error;
mod events;
mod path;
mod resource;
mod server;
mod type_catalog;

pub(crate) use error::RemoteError;
pub(crate) use events::{Change, Changes};
pub(crate) use path::{Named, Query};
pub(crate) use resource::{Condition, Found};
pub(crate) use server::Server;
pub(crate) use type_catalog::{KnownType, Types};
