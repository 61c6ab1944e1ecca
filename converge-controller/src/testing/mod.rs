//! What authors test with.
//!
//! [`conformance`] is for who writes a store: one line makes a test of each promise of
//! [`Backend`](crate::storage::Backend). [`history`] is the last of them, random operations of many tasks at a time
//! whose results are checked, and can be run by itself, longer or with other seeds.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "a test fails by panicking"
)]

pub mod conformance;
pub mod history;
mod store;

pub use store::StoreUnderTest;
