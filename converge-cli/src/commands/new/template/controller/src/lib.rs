//! A controller that creates and deletes the parts that a resource asks for.
//!
//! A [`SampleKind`] says how many [`SampleKindPart`]s there should be. Begin with `types.rs`, which defines
//! the resources. `controller.rs` then reconciles them. The unit tests are beside both files. The tests of
//! all parts together are in `tests/controllers`, the same ones for each store.

mod controller;
mod types;

pub use types::{SampleKind, SampleKindPart};

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

/// Registers the types.
///
/// A program that runs a service calls this function.
///
/// # Errors
///
/// Fails if another package has a type with one of these names.
pub fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<SampleKind>()?;
    types.register::<SampleKindPart>()
}

/// Registers the controller.
///
/// A program that runs controllers calls this function.
///
/// # Errors
///
/// Fails if a controller with this name exists, or if the types are not registered.
pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controller::definition())
}
