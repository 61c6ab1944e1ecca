//! The types that every service has.

pub(crate) mod tombstone;

use crate::identity::Scope;
use crate::registry::{Cause, Hooks, Registration, RegistryError, TypeRegistry};
use crate::resource::Data;

/// Registers them.
///
/// # Errors
///
/// Somebody else has registered a type of such a name.
pub(crate) fn register_types(registry: &mut TypeRegistry) -> Result<(), RegistryError> {
    let types = [
        ("tenancy.v1.Partition", Scope::Cluster),
        ("tenancy.v1.Namespace", Scope::Partition),
        (tombstone::TYPE, Scope::Cluster),
    ];
    for (name, scope) in types {
        if let Ok(resource_type) = name.parse() {
            registry.add(Registration::new(resource_type, scope, "converge_controller::builtin", Plain))?;
        }
    }
    Ok(())
}

struct Plain;

impl Hooks for Plain {
    fn check_data(&self, _: &Data) -> Result<(), Cause> {
        Ok(())
    }
}
