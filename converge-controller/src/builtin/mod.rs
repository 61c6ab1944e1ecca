//! The types that every service has.

mod tenancy;
pub(crate) mod tombstone;

pub(crate) use tenancy::always_there;
pub use tenancy::{Namespace, Partition};
pub use tombstone::Tombstone;

use std::marker::PhantomData;

use crate::registry::{Cause, Hooks, Registration, RegistryError, StoredResource, TypeRegistry};
use crate::resource::Data;

/// Registers them.
///
/// # Errors
///
/// Somebody else has registered a type of such a name.
pub fn register_types(registry: &mut TypeRegistry) -> Result<(), RegistryError> {
    registry.add(plain::<Partition>())?;
    registry.add(plain::<Namespace>())?;
    registry.add(plain::<Tombstone>())
}

fn plain<T: StoredResource>() -> Registration {
    let origin = std::any::type_name::<T>();
    Registration::new(T::resource_type().clone(), T::SCOPE, origin, Plain::<T>(PhantomData))
}

/// Asks for nothing but data that can be read.
struct Plain<T>(PhantomData<fn() -> T>);

impl<T: StoredResource> Hooks for Plain<T> {
    fn check_data(&self, data: &Data) -> Result<(), Cause> {
        Ok(T::decode(data.value.clone()).map(drop)?)
    }
}
