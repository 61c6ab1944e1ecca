//! What may be done to resources, and by whom.
//!
//! A [`Service`] is a store with rules: what a type asks of its resources, who may do what, what owns what, and how
//! things end. A [`Client`] asks it in the name of a caller.
//!
//! Where something is refused, the order is the same everywhere: first the form of what is asked, then its type and
//! scope, then whether the caller may, and only then what there is. So a caller who may not do something learns nothing
//! about what exists.

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
