//! What somebody may want.

mod label;
#[cfg(test)]
mod tests;
pub mod v1;
pub mod v2;

pub use label::{Executive, RecordLabel};
