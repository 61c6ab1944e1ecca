//! Resources for random values that are drawn once and kept: passwords, numbers, ids, choices.

pub mod choice;
mod draw;
mod drawn_value;
pub mod id;
pub mod integer;
mod keepers;
pub mod password;
pub mod shuffle;
#[cfg(test)]
mod tests;
pub mod uuid;
