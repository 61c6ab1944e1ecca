//! The types and the controllers together, in the same tests over each store.

#[cfg(feature = "etcd")]
#[expect(clippy::disallowed_methods, reason = "these tests start a program")]
mod etcd;
mod memory;
mod redb;
mod shared_cases;
