//! The types of resources that users declare.

mod label;
#[cfg(test)]
mod tests;
pub mod v1;
pub mod v2;

pub use label::{Executive, RecordLabel};
