//! The types and the controllers together, in the same tests over each store.

mod bodies;
mod memory;
mod redb;
