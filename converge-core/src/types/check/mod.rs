//! Values against the schema: what is missing, refused, or not allowed together.

mod fields;
mod rules;
#[cfg(test)]
mod tests;
mod values;

pub use fields::Fields;
pub(crate) use rules::{holds_unwritten, shape_errors};
pub(crate) use values::check_known_part;
pub use values::{check, convert};
