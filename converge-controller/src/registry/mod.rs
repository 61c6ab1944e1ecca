//! The registry of resource types.

mod decode;
mod hooks;
mod reference;
mod stored_resource;
mod typed_hooks;
mod typed_resource;
mod types;

#[cfg(test)]
mod tests;

pub use decode::DataError;
pub use hooks::{Cause, Hooks};
pub use reference::{Ref, WrongReference};
pub use stored_resource::{
    AuthorizeList, AuthorizeRead, AuthorizeWrite, Mutate, StoredResource, TypedHooks, Validate,
};
pub use typed_resource::Typed;
pub use types::{Registration, RegistryError, TypeRegistry};
