//! HTTP client of a Converge server.
//!
//! This crate is internal to Converge, and its API may change in any release. [`Client`] sends requests and
//! opens watches, with failover between servers that share one store. The crate decides which servers are
//! trusted ([`Authorities`]), and that a token is sent in plain text to this machine alone. It knows nothing
//! of resources and types: requests have paths, and answers are JSON.

mod client;
mod error;
mod events;
mod stream;
mod token;
mod trust;
mod url;

#[cfg(test)]
mod tests;

pub use client::{Client, Watch};
pub use error::{ClientError, InvalidUrl, PathStep, Problem, Refusal};
pub use events::Event;
pub use hyper::{Method, StatusCode};
pub use token::Token;
pub use trust::{Authorities, ClientCertificate, Credentials};
pub use url::ServerUrl;
