//! Labels, the artists under contract with them, and their albums: the example of the guide as a whole crate, in the shape that
//! `converge new controller` writes.
//!
//! - A [`RecordLabel`](types::RecordLabel) is of a partition. It cannot go while an artist is under contract: a finalizer holds it.
//!   It owns its [executives](types::Executive), which go with it.
//! - An [`Artist`](types::v2::Artist) refers to a label. Whether that is there is no question of form: the controller says so in
//!   a status, anew when a label comes or goes. Artists come in [two versions](types::v1), which share their names.
//! - An artist owns its [albums](types::v2::Album). The controller says how many there are.
//! - A [`Concept`](types::v2::Concept) has no data, and no controller.
//!
//! Begin with `types`: what somebody may want. Then `controllers`: what is done about it. The unit tests are beside both; those of
//! all of it together are in `tests/controllers`, the same ones for each store.

pub mod controllers;
pub mod types;

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

/// Registers the types. Whoever runs a service calls this.
///
/// # Errors
///
/// Another package has a type of one of these names.
pub fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<types::RecordLabel>()?;
    types.register::<types::Executive>()?;
    types.register::<types::v1::Artist>()?;
    types.register::<types::v2::Artist>()?;
    types.register::<types::v2::Album>()?;
    types.register::<types::v2::Concept>()
}

/// Registers the controllers. Whoever runs controllers calls this.
///
/// # Errors
///
/// There is a controller of such a name, or the types are not registered.
pub fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controllers::artists())?;
    manager.register(controllers::labels())
}
