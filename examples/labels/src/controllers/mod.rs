//! What is done about what somebody wants.

mod artists;
mod index;
mod labels;
#[cfg(test)]
mod tests;

pub use artists::artists;
pub use labels::labels;
