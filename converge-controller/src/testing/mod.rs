//! What authors test with.
//!
//! [`conformance`] is for who writes a store: one line makes a test of each promise of
//! [`Backend`](crate::storage::Backend). [`history`] is the last of them, random operations of many tasks at a time
//! whose results are checked, and can be run by itself, longer or with other seeds.
//!
//! For who writes controllers: [`TestController`] calls one by hand, [`ControllerTest`] runs them all over a service, to
//! which resources are [published](ControllerTest::publish) in any order, and [`TestClient`] asks for what a test expects.
//! [`Faults`] is a store that fails, and [`simulate`] tries seeds until one shows a mistake.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

mod access;
#[cfg(any(feature = "etcd", feature = "redb"))]
mod bytes;
mod client;
pub mod conformance;
mod controller_test;
mod faults;
pub mod history;
#[cfg(test)]
pub(crate) mod overseen;
mod resource_builder;
mod service;
mod store;
mod tenancies;
mod test_controller;

#[cfg(test)]
mod tests;

pub use access::{Accesses, accesses, admit};
#[cfg(any(feature = "etcd", feature = "redb"))]
pub use bytes::{from_stored_bytes, to_stored_bytes};
pub use client::{ExpectedCondition, TestClient, condition};
pub use controller_test::{ControllerTest, ControllerTestBuilder};
pub use faults::{FaultRates, Faults, simulate};
pub use resource_builder::{Draft, resource};
pub use store::StoreUnderTest;
pub use test_controller::TestController;
