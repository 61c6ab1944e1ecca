//! Labels, artists and albums: the example of the guide as a complete crate.
//!
//! Artists are under contract with labels and own their albums.
//!
//! The crate has the layout that `converge new controller` writes.
//!
//! - A [`RecordLabel`](types::RecordLabel) belongs to a partition. A finalizer protects it while an artist is
//!   under contract. The label owns its [executives](types::Executive), which are deleted with it.
//! - An [`Artist`](types::v2::Artist) refers to a label. Validation does not check that the label exists: the
//!   controller reports that in a status, again whenever a label is added or removed. Artists have [two
//!   versions](types::v1), which share their names.
//! - An artist owns its [albums](types::v2::Album). The controller reports their number.
//! - A [`Concept`](types::v2::Concept) has no data and no controller.
//!
//! Start with `types`, the resources that users declare, and continue with `controllers`, which act on them.
//! Unit tests are beside both. The tests of the whole crate are in `tests/controllers`, the same ones for
//! each store.

pub mod controllers;
pub mod types;

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

/// Registers the types. Programs that run a service call this function.
///
/// # Errors
///
/// Another package has registered a type with one of these names.
pub fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<types::RecordLabel>()?;
    types.register::<types::Executive>()?;
    types.register::<types::v1::Artist>()?;
    types.register::<types::v2::Artist>()?;
    types.register::<types::v2::Album>()?;
    types.register::<types::v2::Concept>()
}

/// Registers the controllers. Programs that run controllers call this function.
///
/// # Errors
///
/// A controller with one of these names exists already, or the types are not registered.
pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controllers::artists())?;
    manager.register(controllers::labels())
}
