//! Which types of resources there are.

mod decode;
mod hooks;
mod reference;
mod stored;
mod typed;
mod typed_hooks;
mod types;

#[cfg(test)]
mod tests;

pub use decode::DataError;
pub use hooks::{Cause, Hooks};
pub use reference::{Ref, WrongReference};
pub use stored::{
    AuthorizeList, AuthorizeRead, AuthorizeWrite, Mutate, StoredResource, TypedHooks, Validate,
};
pub use typed::Typed;
pub use types::{Registration, RegistryError, TypeRegistry};
