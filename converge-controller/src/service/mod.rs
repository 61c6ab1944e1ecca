//! The service: rules for reads and writes of resources, and their authorization.
//!
//! A [`Service`] is a store with rules: validation by types, authorization, ownership and deletion. A
//! [`Client`] makes requests to it as a caller.
//!
//! Every request is checked in the same order: first its form, then type and scope, then the permission, and
//! only then the stored state. A caller without permission therefore learns nothing about existing resources.

mod client;
mod decide;
mod delete;
mod error;
mod hooks;
mod list;
mod owner;
mod read;
mod request;
mod retry;
mod selector;
mod status;
mod tenancy;
mod typed_client;
mod visibility;
mod watch;
mod write;

pub use client::{Client, Service};
pub use error::{
    Aborted, ErrorKind, FailedPrecondition, InvalidArgument, MarkProblem, OwnerProblem, PermissionDenied,
    ServiceError,
};
pub use request::{List, StatusUpdate};
pub use selector::{MetadataSelector, SelectorError};
pub use typed_client::TypedError;
pub use watch::ResourceWatch;

#[cfg(test)]
mod tests;
