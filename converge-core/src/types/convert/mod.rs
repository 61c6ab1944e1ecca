//! The way from values of the module language to Rust types and back.

mod from_value;
mod many;
mod one_or_many;
mod parsed;
#[cfg(test)]
mod tests;
mod to_value;

pub use from_value::{FromValue, TextRule};
pub(crate) use from_value::{reveal, wrong_kind};
pub use one_or_many::OneOrMany;
pub use parsed::Parsed;
pub use to_value::ToValue;
