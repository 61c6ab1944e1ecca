//! Checks of values against the schema: missing values, refused values and forbidden combinations.

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
