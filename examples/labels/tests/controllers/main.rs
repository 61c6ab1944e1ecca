//! Tests of the types and the controllers together, the same for each store.

#[cfg(feature = "etcd")]
#[expect(clippy::disallowed_methods, reason = "these tests start a program")]
mod etcd;
mod memory;
mod redb;
mod shared_cases;
