//! Tests of the store in etcd on real clusters.
//!
//! They run the conformance tests. They also test the store, and controllers over it, while members are
//! killed, paused and disconnected, connections break, and servers die.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod controllers;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod history;
#[cfg(test)]
mod large;
#[cfg(test)]
mod security;
#[cfg(test)]
#[path = "../shared_cases/mod.rs"]
mod shared_cases;
#[cfg(test)]
mod support;
