//! Packages of the distribution.

pub mod apt;
mod names;
mod output;
mod patience;
pub mod rpm;
mod state;

use converge_core::{Registry, RegistryError};

pub use state::State;

/// Adds the resources of this family to `registry`.
///
/// # Errors
///
/// `registry` has a type of the same name as one of them.
pub fn register(registry: Registry) -> Result<Registry, RegistryError> {
    registry.with::<apt::AptPreparer>()?.with::<rpm::RpmPreparer>()
}
