//! The types that every service has.

mod tenancy;
pub(crate) mod tombstone;

pub use tenancy::{Namespace, Partition};
pub(crate) use tenancy::{always_there, finalizer_of, is_always_there};
pub use tombstone::Tombstone;

use crate::registry::{RegistryError, TypeRegistry};

/// Registers them.
///
/// # Errors
///
/// Somebody else has registered a type of such a name.
pub fn register_types(registry: &mut TypeRegistry) -> Result<(), RegistryError> {
    registry.register::<Partition>()?;
    registry.register::<Namespace>()?;
    registry.register::<Tombstone>()
}
