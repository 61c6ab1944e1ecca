//! Test support for authors of stores and controllers.
//!
//! [`conformance`] is for authors of stores: a macro generates a test of each promise of
//! [`Backend`](crate::storage::Backend). [`history`] is the last of these, random operations of many tasks
//! whose results are checked. It can also be run separately, for longer or with other seeds.
//!
//! For authors of controllers, [`TestController`] calls one controller by hand. [`ControllerTest`] runs all
//! of them over a service, to which resources are [published](ControllerTest::publish) in random order.
//! [`TestClient`] has assertions for expected states. [`Faults`] is a store with random faults, and
//! [`simulate`] tries many seeds.

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
