//! The controllers of the demo types.

mod artists;
mod index;
mod labels;
#[cfg(test)]
mod tests;

pub use artists::artists;
pub use labels::labels;
