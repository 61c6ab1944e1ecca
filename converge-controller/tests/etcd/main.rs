//! The store in etcd, on real clusters: what every store promises, and what becomes of it when members are killed, stopped
//! and cut off, and when connections break.

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod security;
#[cfg(test)]
mod support;
