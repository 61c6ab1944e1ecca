//! Constant evaluation: what is known while a module is loaded, and what is wrong with it.

mod attempt;
mod check;
mod evaluation;
mod fields;
mod looks;
mod reachability;
mod report;
#[cfg(test)]
mod tests;
mod trees;

pub(super) use check::{Found, check, have_same_values, known_value};
pub(super) use evaluation::Constants;
