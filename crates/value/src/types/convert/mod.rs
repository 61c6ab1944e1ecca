//! Conversion between values of the module language and Rust types.

mod collections;
mod from_value;
mod one_or_many;
#[cfg(test)]
mod tests;
mod text_types;
mod to_value;

pub use from_value::{FromValue, TextRule};
#[doc(hidden)]
pub use from_value::{check_word, reveal, wrong_kind};
pub use one_or_many::OneOrMany;
pub use text_types::Parsed;
pub use to_value::ToValue;
