//! Values against the schema: what is missing, refused, or not allowed together.

mod fields;
mod rules;
#[cfg(test)]
mod tests;
mod values;

pub use fields::Fields;
#[doc(hidden)]
pub use rules::{holds_unwritten, shape_errors};
#[doc(hidden)]
pub use values::check_known_part;
pub use values::{check, convert};
