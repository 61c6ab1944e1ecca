//! The fleet: nodes, modules and their rollout.
//!
//! Begin with `types`, the resources that operators and agents write. `controllers` reconciles them, and
//! `census` counts them for metrics.

mod controllers;
mod fleet_counts;
mod naming;
pub(crate) mod types;

pub(crate) use fleet_counts::count;

use converge_controller::registry::{RegistryError, TypeRegistry};
use converge_controller::runtime::{Manager, RegisterError};

pub(crate) fn register_types(types: &mut TypeRegistry) -> Result<(), RegistryError> {
    types.register::<types::Node>()?;
    types.register::<types::NodeReport>()?;
    types.register::<types::NodeHistory>()?;
    types.register::<types::NodePlans>()?;
    types.register::<types::Module>()?;
    types.register::<types::Revision>()?;
    types.register::<types::Rollout>()?;
    types.register::<types::Assignment>()?;
    types.register::<types::Secret>()?;
    types.register::<types::Event>()
}

pub(crate) fn register_controllers(manager: &mut Manager) -> Result<(), RegisterError> {
    manager.register(controllers::nodes())?;
    manager.register(controllers::scheduler())?;
    manager.register(controllers::events::node_events())?;
    manager.register(controllers::events::rollout_events())?;
    manager.register(controllers::events::assignment_events())?;
    manager.register(controllers::events::tidy())
}
