//! Which types of resources there are.

mod hooks;
mod types;

#[cfg(test)]
mod tests;

pub use hooks::{Cause, Hooks};
pub use types::{Registration, RegistryError, TypeRegistry};
