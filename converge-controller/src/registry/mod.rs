//! Which types of resources there are.

mod hooks;
mod reference;
mod stored;
mod typed;
mod types;

#[cfg(test)]
mod tests;

pub use hooks::{Cause, Hooks};
pub use reference::{Ref, WrongReference};
pub use stored::StoredResource;
pub use typed::{DataError, Typed};
pub use types::{Registration, RegistryError, TypeRegistry};
