//! Constant evaluation: the values known while a module is loaded, and their errors.

mod check;
mod evaluation;
mod fields;
mod file_lookups;
mod reachability;
mod reporter;
mod template_prefixes;
#[cfg(test)]
mod tests;

pub(crate) use check::{Found, check, have_same_values, known_value};
pub(crate) use evaluation::Constants;
