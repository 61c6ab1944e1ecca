//! The HTTP client of a server.

mod bearer;
mod encode;
mod error;
mod events;
mod path;
mod resource;
mod server;
mod trust;
mod type_catalog;

pub(crate) use bearer::Token;
pub(crate) use error::{Refusal, RemoteError};
pub(crate) use events::{Change, Changes};
pub(crate) use path::{Named, Query};
pub(crate) use resource::{Condition, Found};
pub(crate) use server::{Server, ServerUrl};
pub(crate) use trust::Authorities;
pub(crate) use type_catalog::{KnownType, Types};
