//! The resource types of every service.

mod tenancy;
pub(crate) mod tombstone;

pub use tenancy::{Namespace, Partition};
pub(crate) use tenancy::{defaults, finalizer_of, is_default};
pub use tombstone::Tombstone;

use crate::registry::{RegistryError, TypeRegistry};

/// Registers the built-in types.
///
/// # Errors
///
/// Fails if a type with the same name is registered.
pub fn register_types(registry: &mut TypeRegistry) -> Result<(), RegistryError> {
    registry.register::<Partition>()?;
    registry.register::<Namespace>()?;
    registry.register::<Tombstone>()
}
