//! The types and the controller together, in the same tests over each store.

mod shared_cases;
#[cfg(feature = "etcd")]
mod etcd;
mod memory;
mod redb;
