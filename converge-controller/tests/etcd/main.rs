//! The store in etcd, on real clusters: what every store promises, and what becomes of it, and of controllers that work over
//! it, when members are killed, stopped and cut off, when connections break, and when servers die.

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
