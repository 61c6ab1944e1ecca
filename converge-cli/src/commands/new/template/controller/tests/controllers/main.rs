//! Tests of the types and the controller together, the same ones over each store.

mod shared_cases;
#[cfg(feature = "etcd")]
mod etcd;
mod memory;
mod redb;
