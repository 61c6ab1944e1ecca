//! A [`SampleKind`] says how many [`SampleKindPart`]s there should be; a controller makes and removes them.
//!
//! Begin with `types.rs`: what somebody may want. Then `controller.rs`: what is done about it. The unit tests are beside both;
//! those of all of it together are in `tests/controllers`, the same ones for each store.

mod controller;
mod types;

pub use types::{SampleKind, SampleKindPart};

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

/// Registers the types. Whoever runs a service calls this.
///
/// # Errors
///
/// Another package has a type of one of these names.
pub fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<SampleKind>()?;
    types.register::<SampleKindPart>()
}

/// Registers the controller. Whoever runs controllers calls this.
///
/// # Errors
///
/// There is a controller of this name, or the types are not registered.
pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controller::definition())
}
